// Registry: owns or lists the instruments of a program, or of a part of it, and reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "statmill/counter.h"
#include "statmill/gauge.h"
#include "statmill/histogram.h"

namespace statmill {

// Pairs of key and value, in any order. Both may be any text; in the name, what a tag cannot have (a ';', a
// blank, a control byte, and in a key '=', '!' and '^') is written as %XX. Labels without value are left out.
using Labels = std::vector<std::pair<std::string, std::string>>;

// Builds a name: "http.requests" {{"method", "get"}, {"code", "200"}} -> "http.requests;code=200;method=get".
std::string name_with(std::string_view path, Labels labels);

// The state of one instrument at the time it was read.
struct Reading {
  enum class Type : uint8_t { kCounter, kGauge, kHistogram };
  struct Bucket {
    uint32_t index;  // see h2.h
    uint64_t count;  // >= 1
  };

  std::string_view name;  // valid as long as the instrument
  std::string_view help;
  std::string_view unit;  // empty: none was given
  uint64_t instance = 0;  // identifies one of several instruments of one name; only set by SharedCells
  Type type = Type::kGauge;
  uint64_t count = 0;  // of a counter: its value; of a histogram: the sum over its buckets
  double level = 0;    // of a gauge
  // The rest is set for histograms only.
  unsigned grouping_power = 0;
  uint64_t sum = 0;  // of all values, modulo 2^64
  // Records in progress during the read count in the buckets, but `sum` may lack their values: at most this
  // much in total. If 0, buckets and sum agree exactly.
  uint64_t sum_missing_max = 0;
  uint64_t overflows = 0;       // values that were too large; they count in the last bucket
  std::vector<Bucket> buckets;  // ascending by index, without empty ones
  // The largest value that was recorded with labels since the last read with Maxima::kReset; from
  // SharedCells, of the 10 s in which the last one came.
  std::optional<RecordedExemplar> exemplar = {};

  double value() const { return type == Type::kGauge ? level : static_cast<double>(count); }
  // The name without its tags; and the value of a tag as it is written in the name, empty if there is none.
  std::string_view path() const { return name.substr(0, name.find(';')); }
  std::string_view tag(std::string_view key) const;
};

// Selects if reading a MaxGauge, or the exemplar of a histogram, also resets it. Only one reader may do so:
// others would miss records.
enum class Maxima { kKeep, kReset };

// Thread-safe. Instruments that a program constructs join the registry and leave it when they are destroyed.
// Those created by the functions below belong to the registry; asking for the same name again returns the
// same instrument.
class Registry {
 public:
  constexpr Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry();

  // The registry of the process. Instruments join it unless they are given another one.
  static Registry& process() noexcept;

  // Find the instrument of this name and labels, or create it. Copy `path` and `help`. Abort the process if
  // the name belongs to an instrument of another kind.
  Counter& counter(std::string_view path, const Help& help, const Labels& labels = {});
  Gauge& gauge(std::string_view path, const Help& help, const Labels& labels = {});
  MaxGauge& max_gauge(std::string_view path, const Help& help, const Labels& labels = {});
  Histogram<>& histogram(std::string_view path, const Help& help, const Labels& labels = {});
  void gauge_fn(std::string_view path, const Help& help, const Labels& labels, std::function<double()> read);
  void counter_fn(std::string_view path, const Help& help, const Labels& labels,
                  std::function<uint64_t()> read);

  // The same for callers that know the kind only at run time: kCounter, kGauge, kMax or kHistogram. Returns
  // null for other kinds, and if the name belongs to an instrument of another kind.
  Instrument* find_or_make(std::string_view path, const Help& help, Instrument::Type type);

  // Reads all instruments. Those with one path are adjacent; paths come in the order in which their first
  // instrument joined. Skips each MaxGauge without a record. Holds a lock for which only threads that create
  // or destroy instruments wait.
  std::vector<Reading> read(Maxima maxima = Maxima::kKeep) const;

 private:
  friend class Instrument;
  struct Owned;  // the instruments that the registry created, by name
  template <class Made, class... Arguments>
  Made* make(std::string_view path, const Help& help, const Labels& labels, Instrument::Type type,
             Arguments&&... arguments);
  void join(Instrument& instrument) noexcept;
  void leave(Instrument& instrument) noexcept;

  mutable std::mutex read_mutex_;  // held during read(), and while an instrument leaves; locked before mutex_
  mutable std::mutex mutex_;       // protects the list
  Instrument* first_ = nullptr;
  Instrument* last_ = nullptr;
  std::mutex owned_mutex_;  // locked before the others
  Owned* owned_ = nullptr;  // allocated with the first one
};

// Formats the readings as Prometheus text, version 0.0.4. A histogram gets one bucket for each power of two
// that has values, its sum and its count. Tags become labels. Names follow Prometheus' conventions:
// - Each byte that cannot be in a name becomes an underscore.
// - The endings _ns, _us, _ms and _s become _seconds, and _percent becomes _ratio. The values are divided
//   accordingly, exactly in decimals.
// - Counters end in _total. Other types lose this ending.
// Readings of one name and type form one family, with the help of the first one. A reading is left out if an
// earlier one of another type has its name.
std::string prometheus_text(const std::vector<Reading>& readings);

}  // namespace statmill

// Registry: the instruments of a program, or of a part of it, and their readings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "statmill/counter.h"
#include "statmill/gauge.h"
#include "statmill/histogram.h"

namespace statmill {

// In any order; a value may be any text, of which a name keeps no ';', '=', blanks or control bytes.
using Labels = std::vector<std::pair<std::string, std::string>>;

// "http.requests" {{"method", "get"}, {"code", "200"}} -> "http.requests;code=200;method=get"
std::string name_with(std::string_view path, Labels labels);

// What an instrument said when it was read.
struct Reading {
  enum class Type : uint8_t { kCounter, kGauge, kHistogram };
  struct Bucket {
    uint32_t index;  // see h2.h
    uint64_t count;  // >= 1
  };

  std::string_view name;  // lives as long as the instrument
  std::string_view help;
  uint64_t instance = 0;  // tells instruments of one name apart, where there may be any: in shared_cells.h
  Type type = Type::kGauge;
  uint64_t count = 0;  // of a counter; of a histogram, in all buckets
  double level = 0;    // of a gauge
  // Of a histogram:
  unsigned grouping_power = 0;
  uint64_t sum = 0;  // of all values, modulo 2^64
  // Values that were being recorded while this was read are in the buckets, and may be missing in the sum:
  // they add up to this at most. 0: none.
  uint64_t sum_missing_max = 0;
  uint64_t overflows = 0;       // in the last bucket, being too great
  std::vector<Bucket> buckets;  // ascending

  double value() const { return type == Type::kGauge ? level : static_cast<double>(count); }
  // Its name without tags, and the value of a tag: empty when there is none.
  std::string_view path() const { return name.substr(0, name.find(';')); }
  std::string_view tag(std::string_view key) const;
};

// Whether reading a MaxGauge takes what it has: what is taken is nobody else's.
enum class Maxima { kKeep, kTake };

// Thread-safe. Instruments made by hand join it and leave it as they begin and end; those that it makes are
// its own, and the same name asked for twice gives the same one.
class Registry {
 public:
  constexpr Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry();

  // That of the process, which instruments join when no other is named.
  static Registry& process() noexcept;

  // `path` and `help` are copied. Requires: what has the name is of the same kind.
  Counter& counter(std::string_view path, std::string_view help, const Labels& labels = {});
  Gauge& gauge(std::string_view path, std::string_view help, const Labels& labels = {});
  MaxGauge& max_gauge(std::string_view path, std::string_view help, const Labels& labels = {});
  Histogram<>& histogram(std::string_view path, std::string_view help, const Labels& labels = {});
  void gauge_fn(std::string_view path, std::string_view help, const Labels& labels,
                std::function<double()> read);
  void counter_fn(std::string_view path, std::string_view help, const Labels& labels,
                  std::function<uint64_t()> read);

  // The same for who knows the kind when it runs: kCounter, kGauge, kMax or kHistogram. Null: what has the
  // name is of another kind.
  Instrument* find_or_make(std::string_view path, std::string_view help, Instrument::Type type);

  // All, those of one path together, in the order in which the first of each path joined; of a MaxGauge that
  // nothing was recorded in, nothing. Cost: a lock, which only those who make and end instruments wait for.
  std::vector<Reading> read(Maxima maxima = Maxima::kKeep) const;

 private:
  friend class Instrument;
  struct Owned;  // what the registry made, by name
  template <class Made, class... Arguments>
  Made* make(std::string_view path, std::string_view help, const Labels& labels, Instrument::Type type,
             Arguments&&... arguments);
  void join(Instrument& instrument) noexcept;
  void leave(Instrument& instrument) noexcept;

  mutable std::mutex read_mutex_;  // held while instruments are read, and while one leaves; before mutex_
  mutable std::mutex mutex_;       // of the list
  Instrument* first_ = nullptr;
  Instrument* last_ = nullptr;
  std::mutex owned_mutex_;  // before the others
  Owned* owned_ = nullptr;  // made with the first
};

// The readings as Prometheus text, version 0.0.4; histograms with a bucket for each power of two that has any
// values, and their sum and count.
std::string prometheus_text(const std::vector<Reading>& readings);

}  // namespace statmill

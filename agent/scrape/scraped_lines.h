// ScrapedLines: makes lines for the spool of what targets answer to scrapes, cumulative counters as what they
// went up by, and exemplars after their samples.
//
// A batch of lines has with it what its counters had (LineBatch::values), which the spool makes durable with
// the batch. So after a restart, and after any crash, the growth continues where the last durable batch ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/batch_builder.h"
#include "base/clock.h"
#include "base/hash.h"
#include "ingest/family_types.h"
#include "ingest/scrape/scraped_values.h"
#include "ingest/scrape/scraper.h"
#include "proto/batch.h"
#include "proto/last_value.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to one thread at a time.
class ScrapedLines final : public ScrapeSink, private ScrapeVisitor {
 public:
  static constexpr size_t kTextBytesMax = 48 * 1024;  // a batch ends with the line that exceeds it
  static constexpr size_t kExemplarsKnown = size_t{1} << 16;
  static constexpr Duration kForget = std::chrono::hours(24);
  // Samples whose time, as the target says, is later by more are refused: by servers, too, and the series
  // would accept no others until then.
  static constexpr Duration kFutureMax = std::chrono::minutes(10);

  using Send = std::function<void(LineBatch)>;
  // Remembers at most `series_max` counters; samples of further ones are refused. `registry` must outlive it.
  ScrapedLines(size_t series_max, Registry& registry, Send send);

  // Sets what counters had, as the spool says.
  void restore(std::vector<LastValue> values);

  void scraped(const Scrape& scrape) override;
  void removed(const ScrapeTarget&) override {}

  size_t series() const { return size_.load(std::memory_order_relaxed); }

 private:
  Batch& batch() override;
  void add(const ScrapedValue& value) override;
  void add_family(const ExpositionFamily&, std::string_view) override {}

  void add_exemplars();
  bool is_new(const Exemplar& exemplar);
  void add_counted(const ScrapedValue& value, bool is_counter);
  void refuse() { refused_.add(); }
  void add_line(const ScrapedValue& value, Kind kind, const Number& number);
  void send_lines();
  void begin_again_at(int64_t now_ms);
  void forget_old();

  const size_t series_max_;
  const Send send_;
  FamilyTypes types_;  // remembers none: each answer says its types
  Batch names_;        // keeps the name of one value
  LineBatch lines_;
  std::unordered_map<Hash128, LastValue, HashOfHash128> last_;
  // Hashes of the exemplars that were sent last, by the low bits of their series' hash; empty before the
  // first. Targets repeat an exemplar with each scrape. One that is overwritten here is only sent again.
  std::vector<uint64_t> exemplars_known_;
  int64_t at_ms_ = 0;            // the time of the newest scrape, which may be before the start
  int64_t forgotten_ms_ = 0;     // when forget_old() was called last
  std::atomic<size_t> size_{0};  // of last_; written by the thread, read by others, relaxed: guards no data
  Counter& samples_;
  Counter& refused_;
  Counter& repeated_;
  Counter& resets_;
  Counter& exemplars_;
  Counter& exemplars_refused_;
};

}  // namespace statmill

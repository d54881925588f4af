// Reads the values that a target answered, as samples of series with the target's labels.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "ingest/scrape/scrape_target.h"
#include "proto/batch.h"
#include "proto/number.h"
#include "proto/prometheus/exposition_reader.h"

namespace statmill {

struct ScrapedValue {
  std::string_view name;  // canonical; valid until the next call of batch()
  Number value;
  int64_t time_ms = 0;
  bool has_own_time = false;  // the target said it
  FamilyType type = FamilyType::kUnknown;
  bool has_le = false;  // it has the label `le` of buckets
};

class ScrapeVisitor {
 public:
  virtual ~ScrapeVisitor() = default;
  // Keeps the names, and counts what is refused. May clear the batch first. Called before each value.
  virtual Batch& batch() = 0;
  virtual void add(const ScrapedValue& value) = 0;
  // Called before the first sample of a family of which the text says something. `name` is that of the
  // family; of a counter, that of its series, which has _total. Valid during the call.
  virtual void add_family(const ExpositionFamily& family, std::string_view name) = 0;
};

// Says what happens to a label of a sample if the target has a label of the same name, whose value counts.
enum class SameLabel : uint8_t {
  kRename,  // it becomes exported_NAME, as in Prometheus
  kDrop,
};

// Passes all values to the visitor; those without a time have `at`. A line with a fault, and a NaN or an
// infinity, is refused, and the others are passed on. Exemplars are added to the batch. Returns the number of
// all values, also of those that are refused or dropped.
uint64_t read_scraped(const ScrapeTarget& target, std::string_view text, ExpositionFormat format,
                      Timestamp at, ScrapeVisitor& visitor, SameLabel same = SameLabel::kRename);

// Returns whether the text ends as its format wants, so that its last value is surely complete.
bool is_whole(std::string_view text, ExpositionFormat format);

// Returns which format a Content-Type says. An answer without one is read as text. Errors: kInvalid.
Result<ExpositionFormat> exposition_format(std::string_view content_type);

// What is known of a scrape that has ended.
struct ScrapeReport {
  bool is_up = false;
  Duration took{0};
  uint64_t values = 0;  // as read_scraped() returns them
};
// Adds up, scrape_duration_seconds and scrape_samples_scraped.
void add_reports(const ScrapeTarget& target, const ScrapeReport& report, Timestamp at,
                 ScrapeVisitor& visitor);
// Adds a sample about a scrape or a push.
void add_report(const ScrapeTarget& target, std::string_view metric, const Number& value, Timestamp at,
                ScrapeVisitor& visitor);

}  // namespace statmill

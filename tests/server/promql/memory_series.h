// Series in memory that answer the leaves of a plan, and the words of tests that evaluate PromQL over them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/query/series_source.h"

namespace statmill {

// Samples at times in seconds. All values are integers / 10^scale, unless `reals` has them. Matchers of
// regular expressions select only literal alternatives, "a|b".
struct MemorySeries {
  std::string name;  // "path;a=x"
  std::vector<int64_t> times_s;
  std::vector<int64_t> integers = {};
  int8_t scale = 0;
  std::vector<double> reals = {};
  // One list of samples per time, for distributions: buckets_over_time and rate give histograms.
  std::vector<std::vector<double>> samples = {};
};

// Windows have the samples in [T - range, T).
class MemorySource final : public SeriesSource {
 public:
  explicit MemorySource(std::vector<MemorySeries> series) : series_(std::move(series)) {}

  Status read(const LeafRequest& request, QueryNotes& notes,
              const std::function<Status(SeriesValues)>& take) override;
  size_t reads() const { return reads_; }

 private:
  std::vector<MemorySeries> series_;
  size_t reads_ = 0;
};

// A series without times has its values at 5 s, 15 s, 25 s, ...
MemorySeries gauge(std::string name, std::vector<int64_t> integers, int8_t scale = 0);
MemorySeries real_gauge(std::string name, std::vector<double> values);

// The answer of a query: lines `{a="x"} 1 2 -`, one value per point, "-" where it is absent, ascending by
// labels unless the query sorts. An error is its message. Warnings and infos come last.
std::string evaluate(MemorySource& source, std::string_view query, const Grid& grid);
// At one time, in seconds.
std::string evaluate(MemorySource& source, std::string_view query, int64_t time_s);

}  // namespace statmill

// RemoteWorkload: what the node_exporters of a fleet report every 10 s, as requests of remote_write 1.0 or of
// OTLP. The same options give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tools/statmill-bench/verify.h"

namespace statmill {

inline constexpr size_t kRemoteSeriesPerHost = 1000;

struct RemoteWorkloadOptions {
  // Each with its compression, if senders use one by default: snappy; none.
  enum class Wire : uint8_t { kRemoteWrite, kOtlp };
  Wire wire = Wire::kRemoteWrite;
  size_t series = 0;
  size_t samples_per_request = 2000;
  int64_t first_time_s = 0;  // of the first pass
};

// 69 % of the series are counters, of which a part does not change; the others are gauges. By remote_write a
// series has 7 to 10 labels. OTLP has four of them in the resource, the attributes of one host.
//
// Confined to one thread.
class RemoteWorkload {
 public:
  static constexpr int64_t kPassS = 10;

  explicit RemoteWorkload(const RemoteWorkloadOptions& options);

  // Returns the requests with the next sample of each series, and moves its values on.
  std::vector<std::string> next_pass();
  size_t passes() const { return passes_; }
  // How many resources the requests so far had: each has a sample of `target_info`. 0 by remote_write.
  uint64_t resources() const { return resources_; }
  // What the series add up to in a statmilld, which stores what counters went up by. Since OTLP says since
  // when a counter counts, all of it is stored. Must not outlive this object.
  SentTotals totals() const;

 private:
  enum class Change : uint8_t { kStays, kCounts, kCountsHundredths, kWalks };
  struct Series {
    std::string metric;
    std::vector<std::pair<std::string, std::string>> labels;  // ascending by name, without those of the host
    Change change = Change::kStays;
    bool is_counter = false;
  };
  static std::vector<Series> series_of_host();
  void move_on();
  std::string remote_write_request(size_t first, size_t end) const;
  std::string otlp_request(size_t first, size_t end);
  std::string otlp_metrics(size_t first, size_t end) const;
  std::string name(size_t series) const;
  int64_t time_s() const { return options_.first_time_s + static_cast<int64_t>(passes_) * kPassS; }

  const RemoteWorkloadOptions options_;
  const std::vector<Series> of_host_;
  std::minstd_rand random_;
  std::vector<int64_t> values_;  // by series, in hundredths
  std::vector<int64_t> first_;   // those of the first pass
  std::vector<int64_t> sums_;
  size_t passes_ = 0;
  uint64_t resources_ = 0;
};

}  // namespace statmill

// Workload: lines as a fleet of agents would send them, made before the clock runs. Same seed, same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace statmill {

inline constexpr size_t kSeriesPerHost = 100;
inline constexpr int64_t kPassSeconds = 10;

// istatd: "name [time] value". Graphite: "name value time", -1 without one. statsd: "name:value|g[|Ttime]".
// Distributions: istatd's with a % in front.
enum class LineDialect { kIstatd, kGraphite, kStatsd, kDistribution };

struct WorkloadOptions {
  LineDialect dialect = LineDialect::kIstatd;
  size_t series = 0;
  size_t passes = 0;                         // samples of each series
  size_t connections = 1;                    // hosts are dealt out to these in turn
  bool is_shuffled = false;                  // within each pass; else in the order of names
  std::optional<int64_t> first_time_s = {};  // of pass 0, then 10 s more each pass; none: lines without time
};

// The bytes of one connection: whole lines, pass after pass.
struct Stream {
  std::string bytes;
  size_t samples = 0;
  std::vector<size_t> pass_ends = {};     // offset of the end of each pass
  std::vector<size_t> time_offsets = {};  // of each line's time; none in lines without
};

// "servers.host00042.cpu.3.idle" of series 4239.
std::string series_name(size_t series);

// Passes over all series, a part at a time when they are too many to hold at once. One Stream per connection.
// Values, by series: 50 % random walks of two decimals, 25 % counters, 15 % constants, 10 % flat with spikes.
class Workload {
 public:
  explicit Workload(const WorkloadOptions& options);  // options.passes has no meaning here

  // The next so many passes; values go on where they were.
  std::vector<Stream> next(size_t passes);
  // The same, behind what the streams have. Requires: one for each connection.
  void append_pass(std::vector<Stream>& streams);
  // Of the last pass, by series, in hundredths.
  const std::vector<int64_t>& last_values() const { return values_; }

 private:
  const WorkloadOptions options_;
  std::minstd_rand random_;
  std::vector<std::string> names_;
  std::vector<int64_t> states_;
  std::vector<int64_t> values_;
  std::vector<size_t> order_;
  size_t pass_ = 0;
};

// All passes at once.
std::vector<Stream> make_workload(const WorkloadOptions& options);

}  // namespace statmill

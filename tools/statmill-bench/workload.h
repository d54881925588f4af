// Workload: lines as a fleet of agents would send them, generated before the measurement starts. The same
// seed gives the same bytes.
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
inline constexpr size_t kWorkloadLineBytesMax = 64;  // a line of a workload is at most this long

// istatd: "name [time] value". Graphite: "name value time", -1 without one. statsd: "name:value|g[|Ttime]".
// InfluxDB: "begin=value [time]" with a blank for the last dot of the name, and the time in nanoseconds.
// Distributions are istatd lines that begin with %.
enum class LineDialect { kIstatd, kGraphite, kStatsd, kInflux, kDistribution };

struct WorkloadOptions {
  LineDialect dialect = LineDialect::kIstatd;
  size_t series = 0;
  size_t passes = 0;         // samples per series
  size_t connections = 1;    // hosts are distributed over these in turn
  bool is_shuffled = false;  // shuffles the lines within each pass; otherwise they are in order of name
  std::optional<int64_t> first_time_s =
      {};  // the time of pass 0; each pass is 10 s later; nullopt: lines without time
};

// The bytes of one connection: whole lines, pass after pass.
struct Stream {
  std::string bytes;
  size_t samples = 0;
  std::vector<size_t> pass_ends = {};     // the offset of the end of each pass
  std::vector<size_t> time_offsets = {};  // the offset of each line's time; empty if lines have no time
};

// Returns "servers.host00042.cpu.3.idle" for series 4239.
std::string series_name(size_t series);

// Generates passes over all series, in several parts if they do not fit in memory at once. One Stream per
// connection. 50 % of the series are random walks of two decimals, 25 % counters, 15 % constants, and 10 %
// flat with spikes.
class Workload {
 public:
  explicit Workload(const WorkloadOptions& options);  // ignores options.passes

  // Returns the next `passes` passes. Values continue from the passes before.
  std::vector<Stream> next(size_t passes);
  // Appends the next passes to the streams. Requires: one stream per connection.
  void append_pass(std::vector<Stream>& streams);
  // The values of the last pass, by series, in hundredths.
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

// Generates all passes at once.
std::vector<Stream> make_workload(const WorkloadOptions& options);

}  // namespace statmill

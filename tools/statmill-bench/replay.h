// Replay: holds the first passes of a run in memory and sends them repeatedly.
//
// Repeated lines have the same values. Their times are overwritten just before they are sent, which costs the
// sender 8 of 28 ns per line (40 M lines of 10 k series to a process that only reads). Generating lines costs
// the run nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/statmill-bench/workload.h"

namespace statmill {

struct Replay {
  std::vector<Stream> streams;  // the passes in memory, one stream per connection
  std::vector<int64_t> totals;  // per series: the sum of the values of all passes, in hundredths
};

// options.passes is the number of passes to send. As many of them as fit in `bytes_max` are held, at least
// one.
Replay make_replay(const WorkloadOptions& options, size_t bytes_max);

// A range of the passes of a run, by number.
struct Passes {
  size_t begin = 0;
  size_t count = 0;
  std::optional<int64_t> first_time_s = {};  // the time of pass 0; nullopt: lines are sent unchanged
};

// StreamCursor: reads the lines of a stream in the order in which they are sent.
//
// Confined to one thread; the stream must outlive it. Overwrites the times in the stream's bytes.
class StreamCursor {
 public:
  // Requires: times have ten digits (the years 2001 to 2286).
  StreamCursor(Stream& stream, const Passes& passes);

  // Consumes the next whole lines of one pass and returns them: up to `bytes_max` in total, at least one
  // line; empty at the end.
  std::string_view consume(size_t bytes_max);
  // Returns true if the next consume() begins a pass. It may then overwrite lines that were returned before.
  bool is_at_pass_end() const { return position_ == pass_end_; }

 private:
  void begin_pass();
  void write_times(size_t end);  // begins at position_

  Stream& stream_;
  const std::optional<int64_t> first_time_s_;
  size_t pass_ = 0;
  const size_t end_;  // the end of the passes
  size_t position_ = 0;
  size_t pass_end_ = 0;
  size_t line_ = 0;   // index into stream_.time_offsets: the next time to write
  std::string time_;  // the time of pass_
};

}  // namespace statmill

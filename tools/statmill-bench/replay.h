// Replay: a run of passes of which only the first are held, and sent again as often as it takes. What comes
// again has the same values; its times are written over the old ones just before it is sent, which costs the
// sender 8 ns per line of 28 in all (40 M lines of 10 k series to a process that only reads), and making
// lines costs the run nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/statmill-bench/workload.h"

namespace statmill {

struct Replay {
  std::vector<Stream> streams;  // of the passes held; one for each connection
  std::vector<int64_t> totals;  // by series: what all passes' values add up to, in hundredths
};

// options.passes is how many will be sent, of which so many are held as fit `bytes_max`, at least one.
Replay make_replay(const WorkloadOptions& options, size_t bytes_max);

// A part of a run of passes, by number.
struct Passes {
  size_t begin = 0;
  size_t count = 0;
  std::optional<int64_t> first_time_s = {};  // of pass 0; none: lines go as they were made
};

// StreamCursor: the lines of a stream in the order in which they are sent.
//
// Confined to one thread; the stream must outlive it. Writes times into the stream's bytes.
class StreamCursor {
 public:
  // Requires: times of ten digits, of the years 2001 to 2286.
  StreamCursor(Stream& stream, const Passes& passes);

  // The next whole lines of one pass, up to `bytes_max` together and at least one; nothing at the end.
  std::string_view take(size_t bytes_max);
  // Whether the next take() begins a pass, and so may write where lines taken before lie.
  bool is_at_pass_end() const { return position_ == pass_end_; }

 private:
  void begin_pass();
  void write_times(size_t end);  // from position_

  Stream& stream_;
  const std::optional<int64_t> first_time_s_;
  size_t pass_ = 0;
  const size_t end_;  // of the passes
  size_t position_ = 0;
  size_t pass_end_ = 0;
  size_t line_ = 0;   // of stream_.time_offsets, the next whose time is to be written
  std::string time_;  // of pass_
};

}  // namespace statmill

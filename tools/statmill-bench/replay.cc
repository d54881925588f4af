#include "tools/statmill-bench/replay.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace statmill {
namespace {

constexpr size_t kTimeDigits = 10;

}  // namespace

Replay make_replay(const WorkloadOptions& options, size_t bytes_max) {
  const size_t fitting = bytes_max / (std::max<size_t>(1, options.series) * kWorkloadLineBytesMax);
  const size_t held = std::clamp<size_t>(fitting, 1, std::max<size_t>(1, options.passes));
  Replay out;
  out.streams.resize(options.connections);
  out.totals.resize(options.series);
  // Reserved at once: growth by doubling would briefly need twice the memory. Pages that are never written
  // use none.
  for (Stream& stream : out.streams)
    stream.bytes.reserve(held * options.series * kWorkloadLineBytesMax / options.connections);
  Workload workload(options);
  for (size_t pass = 0; pass < held; ++pass) {
    workload.append_pass(out.streams);
    const size_t times_sent = options.passes <= pass ? 0 : (options.passes - pass - 1) / held + 1;
    for (size_t i = 0; i < options.series; ++i)
      out.totals[i] += workload.last_values()[i] * static_cast<int64_t>(times_sent);
  }
  return out;
}

StreamCursor::StreamCursor(Stream& stream, const Passes& passes)
    : stream_(stream),
      first_time_s_(passes.first_time_s),
      pass_(passes.begin),
      end_(passes.begin + passes.count) {
  if (pass_ < end_) begin_pass();
}

std::string_view StreamCursor::consume(size_t bytes_max) {
  while (position_ == pass_end_) {
    if (pass_ + 1 >= end_) return {};
    ++pass_;
    begin_pass();
  }
  const std::string_view rest = std::string_view(stream_.bytes).substr(position_, pass_end_ - position_);
  size_t size = rest.size();
  if (size > bytes_max) {
    const size_t fits = rest.substr(0, bytes_max).rfind('\n');
    size = fits == std::string_view::npos ? rest.find('\n') + 1 : fits + 1;
  }
  if (first_time_s_) write_times(position_ + size);
  position_ += size;
  return rest.substr(0, size);
}

void StreamCursor::begin_pass() {
  const size_t held = pass_ % stream_.pass_ends.size();
  position_ = held == 0 ? 0 : stream_.pass_ends[held - 1];
  pass_end_ = stream_.pass_ends[held];
  if (!first_time_s_) return;
  time_ = std::to_string(*first_time_s_ + static_cast<int64_t>(pass_) * kPassSeconds);
  SM_CHECK(time_.size() == kTimeDigits);
  const auto& offsets = stream_.time_offsets;
  line_ = static_cast<size_t>(std::lower_bound(offsets.begin(), offsets.end(), position_) - offsets.begin());
}

void StreamCursor::write_times(size_t end) {
  const std::vector<size_t>& offsets = stream_.time_offsets;
  for (; line_ < offsets.size() && offsets[line_] < end; ++line_)
    std::memcpy(stream_.bytes.data() + offsets[line_], time_.data(), kTimeDigits);
}

}  // namespace statmill

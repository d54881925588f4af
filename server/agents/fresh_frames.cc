#include "server/agents/fresh_frames.h"

#include <algorithm>

namespace statmill {

void FreshFrames::note(const Frame& frame, uint64_t durable_seq) {
  if (!frames_.empty() && frames_.back().behind.epoch != frame.behind.epoch) frames_.clear();
  while (!frames_.empty() && (frames_.front().behind.seq <= durable_seq || frames_.size() >= kKept))
    frames_.pop_front();
  frames_.push_back(frame);
}

FreshFrames::Repeat FreshFrames::compare(const Frame& frame) const {
  const auto known =
      std::lower_bound(frames_.begin(), frames_.end(), frame,
                       [](const Frame& a, const Frame& b) { return a.behind.seq < b.behind.seq; });
  if (known == frames_.end() || known->behind.seq != frame.behind.seq ||
      known->behind.epoch != frame.behind.epoch || known->is_gap != frame.is_gap)
    return Repeat::kUnknown;
  // The time of a gap may be that of its telling.
  if (frame.is_gap) return known->behind.lines == frame.behind.lines ? Repeat::kSame : Repeat::kUnknown;
  return known->behind == frame.behind ? Repeat::kSame : Repeat::kOther;
}

}  // namespace statmill

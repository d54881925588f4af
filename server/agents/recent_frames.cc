#include "server/agents/recent_frames.h"

#include <algorithm>

namespace statmill {

void RecentFrames::note(const Frame& frame, const AgentProgress& durable) {
  if (!frames_.empty() && frames_.back().end.epoch != frame.end.epoch) frames_.clear();
  while (!frames_.empty() && (durable.contains(frames_.front().end.seq) || frames_.size() >= kKept))
    frames_.pop_front();
  frames_.push_back(frame);
}

RecentFrames::Repeat RecentFrames::compare(const Frame& frame) const {
  const auto known = std::find_if(frames_.begin(), frames_.end(),
                                  [&](const Frame& other) { return other.end.seq == frame.end.seq; });
  if (known == frames_.end() || known->end.epoch != frame.end.epoch || known->is_gap != frame.is_gap)
    return Repeat::kUnknown;
  // The time of a gap is not compared: it may be the time of its report, which differs at each repeat.
  if (frame.is_gap) return known->end.lines == frame.end.lines ? Repeat::kSame : Repeat::kUnknown;
  return known->end == frame.end ? Repeat::kSame : Repeat::kOther;
}

}  // namespace statmill

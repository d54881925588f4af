// RecentFrames: the batches and gaps of one agent that were accepted recently and may not be durable yet.
//
// After a reconnect an agent repeats what is not durable. Clones use the same numbers for different batches,
// so a number alone does not prove that a frame is a repeat: time and line count are compared too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "proto/agent/frames.h"

namespace statmill {

// Thread-compatible.
class RecentFrames {
 public:
  // At 40 bytes each. The oldest frame is dropped when there are more: while the store fails, or when an
  // agent sends many batches within one tick.
  static constexpr size_t kKept = 512;

  // A batch, or a gap in place of batches.
  struct Frame {
    AgentPosition end;  // the agent's position after this frame
    bool is_gap = false;
  };
  // Appends an accepted frame. Removes frames of other epochs and the oldest ones if they are durable.
  void note(const Frame& frame, const AgentProgress& durable);

  enum class Repeat : uint8_t {
    kSame,     // the same frame
    kOther,    // a different batch with the same number
    kUnknown,  // cannot be decided: the number is not kept, or a gap is compared with a batch
  };
  // Compares a frame with the kept frame of the same number. Cost: a pass over all.
  Repeat compare(const Frame& frame) const;

 private:
  std::deque<Frame> frames_;  // in the order of their acceptance, all of one epoch
};

}  // namespace statmill

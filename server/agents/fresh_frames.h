// FreshFrames: the batches and gaps of one agent that were taken and may not be durable yet.
//
// A connection is told what is durable, so it repeats what is not. Clones number different batches alike, so
// a number alone does not say that a frame is a repeat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "proto/agent/frames.h"

namespace statmill {

// Thread-compatible.
class FreshFrames {
 public:
  // Of more the oldest goes: 32 bytes each, while the store fails or an agent sends many in one tick.
  static constexpr size_t kKept = 512;

  // A batch, or a gap in the place of batches.
  struct Frame {
    AgentPosition behind;
    bool is_gap = false;
  };
  // The frame was taken, behind all others. Those of another epoch, and up to `durable_seq`, go.
  void note(const Frame& frame, uint64_t durable_seq);

  enum class Repeat : uint8_t {
    kSame,
    kOther,    // both are batches, and not the same one
    kUnknown,  // nobody can say
  };
  // What a frame is whose number was taken before. Cost: logarithmic.
  Repeat compare(const Frame& frame) const;

 private:
  std::deque<Frame> frames_;  // by seq, all of one epoch
};

}  // namespace statmill

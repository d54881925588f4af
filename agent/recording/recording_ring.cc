#include "agent/recording/recording_ring.h"

#include <chrono>
#include <utility>

namespace statmill {

RecordingRing::RecordingRing(const RecordingHead& head, std::string tags, Limits limits)
    : limits_(limits), writer_(head, std::move(tags), [this](std::string block) { put(std::move(block)); }) {}

void RecordingRing::add(const LineBatch& batch, SteadyTime now) {
  now_ = now;
  if (!std::exchange(is_open_, true)) open_since_ = now;
  writer_.add(batch);
  drop_oldest();
}

// The writer ends a block when the next line does not fit, so a new block begins now.
void RecordingRing::put(std::string block) {
  bytes_ += block.size() + kBlockOverhead;
  blocks_.push_back({std::make_shared<const std::string>(std::move(block)), open_since_, now_});
  open_since_ = now_;
  drop_oldest();
}

void RecordingRing::drop_oldest() {
  while (!blocks_.empty() && (bytes() > limits_.bytes_max || now_ - blocks_.front().end > limits_.length)) {
    bytes_ -= blocks_.front().bytes->size() + kBlockOverhead;
    blocks_.pop_front();
  }
}

Recording RecordingRing::recording() {
  Recording recording;
  recording.add(std::make_shared<const std::string>(writer_.family_blocks()));
  for (const Block& block : blocks_) recording.add(block.bytes);
  recording.add(std::make_shared<const std::string>(writer_.open_block().append(end_block())));
  return recording;
}

Duration RecordingRing::held(SteadyTime now) const {
  if (!is_open_) return Duration(0);
  const SteadyTime begin = blocks_.empty() ? open_since_ : blocks_.front().begin;
  return std::chrono::floor<Duration>(now - begin);
}

}  // namespace statmill

// RecordingRing: the newest part of an endless recording, in memory: as long as it is asked to be, or as much
// as fits.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "agent/batch_builder.h"
#include "agent/recording/recording.h"
#include "agent/recording/recording_writer.h"
#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class RecordingRing {
 public:
  struct Limits {
    Duration length;       // of the past that is kept
    size_t bytes_max = 0;  // of all blocks, and of the text of the open one; at least kBytesMin
  };
  static constexpr size_t kBytesMin = size_t{1} << 20;

  RecordingRing(const RecordingHead& head, std::string tags, Limits limits);

  // Adds the lines (RecordingWriter::add()), and drops the oldest blocks beyond the limits.
  void add(const LineBatch& batch, SteadyTime now);
  // Returns all that is in the ring. Cost: two blocks are compressed, none is copied.
  Recording recording();

  // Returns how much of the past is in it.
  Duration held(SteadyTime now) const;
  size_t bytes() const { return bytes_ + kBlockTextBytesMax; }
  uint64_t lines_refused() const { return writer_.lines_refused(); }

 private:
  struct Block {
    std::shared_ptr<const std::string> bytes;
    SteadyTime begin;  // of its first lines
    SteadyTime end;    // of its last lines
  };
  // What a block needs in addition to its bytes: entry, count of owners, and what the allocator rounds up.
  static constexpr size_t kBlockOverhead = 128;

  void put(std::string block);
  void drop_oldest();

  const Limits limits_;
  RecordingWriter writer_;
  std::deque<Block> blocks_;  // the oldest first
  size_t bytes_ = 0;          // of the blocks, with their overhead
  SteadyTime now_{};          // of the last lines
  SteadyTime open_since_{};   // when the open block began
  bool is_open_ = false;      // there is an open block
};

}  // namespace statmill

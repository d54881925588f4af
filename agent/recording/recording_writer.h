// RecordingWriter: turns collections into the blocks of a recording (proto/recording/FORMAT.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "agent/batch_builder.h"
#include "agent/config.h"
#include "agent/recording/recorded_lines.h"
#include "base/clock.h"
#include "proto/recording/block.h"
#include "proto/recording/recording_text.h"

namespace statmill {

// Returns the head of what an agent with these settings records.
RecordingHead recording_head(const AgentConfig& config);

// Confined to one thread.
class RecordingWriter {
 public:
  using Sink = std::function<void(std::string block)>;

  // `tags` are those of the host. `sink` gets each block that is full, or that end_block() ends.
  RecordingWriter(const RecordingHead& head, std::string tags, Sink sink);

  // Adds the lines before batch.fast_begin, which belong to the moment batch.time. Cost: about 0.2 us per
  // line, and 1 ms per block. Requires: the batch has a time, and its lines have none.
  void add(const LineBatch& batch);
  // Ends the block that is not full yet, if there is one.
  void end_block();
  // Returns the block that end_block() would make, and leaves it open; empty if there is none.
  std::string open_block();
  // Returns blocks with the lines of all families so far. They have no time.
  std::string family_blocks();

  uint64_t lines() const { return lines_; }
  // Lines without a canonical name, and those that are too long for a block.
  uint64_t lines_refused() const { return recorded_.refused() + too_long_; }

 private:
  bool has_lines() const { return text_.size() > head_.size(); }
  void append(std::string_view line);

  std::string head_;  // the first line of each block
  RecordedLines recorded_;
  const Sink sink_;
  BlockWriter blocks_;
  std::string text_;         // of the open block: the head, and what follows
  Timestamp at_;             // the moment of the last batch
  std::string moment_;       // its line
  bool has_moment_ = false;  // the open block has that line
  Timestamp begin_;          // the first moment of the open block
  uint64_t lines_ = 0;
  uint64_t too_long_ = 0;
};

}  // namespace statmill

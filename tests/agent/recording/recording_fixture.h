// Words for tests of recordings: what a recording holds, read by the reader.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/batch_builder.h"
#include "proto/recording/recording_reader.h"

namespace statmill {

inline const RecordingHead kTestHead{.host = "web1", .interval = Duration(1000), .fast = {}};

struct ReadRecording {
  std::vector<std::string> blocks;  // their lines
  std::string families;             // all $m lines
  std::string samples;              // all lines of samples
  std::vector<int64_t> moments;     // in milliseconds
  bool is_complete = false;
  std::string error;
};

inline ReadRecording read_recording(std::string_view bytes) {
  RecordingReader reader([&](std::span<char> room) -> Result<size_t> {
    const size_t size = std::min(room.size(), bytes.size());
    std::copy_n(bytes.begin(), size, room.begin());
    bytes.remove_prefix(size);
    return size;
  });
  ReadRecording out;
  while (true) {
    const auto block = reader.next();
    if (!block) {
      out.error = block.error().message;
      return out;
    }
    if (!block->has_value()) break;
    out.blocks.emplace_back((*block)->lines);
    for_each_moment((*block)->lines, [&](std::optional<Timestamp> at, std::string_view lines) {
      if (at) out.moments.push_back(at->time_since_epoch().count());
      for (; !lines.empty(); lines.remove_prefix(lines.find('\n') + 1))
        (lines.starts_with("$m") ? out.families : out.samples).append(lines.substr(0, lines.find('\n') + 1));
    });
  }
  out.is_complete = reader.is_complete();
  return out;
}

// A batch of one collection, at a time in milliseconds.
inline LineBatch batch_at(int64_t ms, std::string text) {
  LineBatch batch{.text = std::move(text)};
  batch.lines = static_cast<uint64_t>(std::count(batch.text.begin(), batch.text.end(), '\n'));
  batch.time = Timestamp(Duration(ms));
  return batch;
}

}  // namespace statmill

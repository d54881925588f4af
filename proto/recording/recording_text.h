// The text of a recording's blocks (FORMAT.md): the line that begins each block, and the moments.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// What the first line of each block says.
struct RecordingHead {
  std::string host;
  Duration interval{};           // between two collections
  std::optional<Duration> fast;  // between two collections of the fast collectors, if there are any
  bool operator==(const RecordingHead&) const = default;
};

inline constexpr size_t kRecordingHostBytesMax = 256;

// Returns the name as a recording has it: bytes other than a-z A-Z 0-9 . _ - become `_`, and what is longer
// is cut off. "unknown" if it is empty.
std::string recording_host(std::string_view name);

// Appends the line, LF included. Requires: the host is one that recording_host() returns.
void append_recording_head(std::string& out, const RecordingHead& head);

// Appends the line that begins a moment, LF included.
void append_moment(std::string& out, Timestamp at);

// The text of one block.
struct RecordingText {
  RecordingHead head;
  std::string_view lines;  // all lines after the first
};

// Parses the first line. Errors: kCorrupt (it is no such line), kVersion (of a later version).
Result<RecordingText> parse_recording_text(std::string_view text);

// Calls `moment` for each moment of a block with its time and its lines, in order. Lines before the first
// moment, which have no time, come first with nullopt, if there are any. Lines of `# at` with another text
// begin no moment.
void for_each_moment(std::string_view lines,
                     const std::function<void(std::optional<Timestamp> at, std::string_view lines)>& moment);

}  // namespace statmill

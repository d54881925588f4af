// Recognizes TCP streams of other protocols by their first bytes, so that a sender at the wrong port is
// disconnected and named, instead of being refused line by line as if its lines were wrong.
#pragma once

#include <cstddef>
#include <string_view>

namespace statmill {

inline constexpr size_t kForeignBytes = 6;  // that decide

// Says what a stream is that should be lines, judging by its beginning: "a pickle: ...". Returns an empty
// text if it may be lines.
std::string_view foreign_to_lines(std::string_view beginning);
// Returns true if more bytes may show that the stream is foreign.
bool may_become_foreign(std::string_view beginning);

// Says what a stream is that should be frames, after one whose length is over the limit. Returns an empty
// text if that frame may only be too long.
std::string_view foreign_to_frames(std::string_view beginning);

}  // namespace statmill

// Event: something that happened at a time, or during one, and that charts mark: a deployment, a restart, the
// absence of an agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "storage/document_row.h"

namespace statmill {

inline constexpr size_t kEventTitleBytesMax = 200;
inline constexpr size_t kEventTextBytesMax = 4096;
inline constexpr size_t kEventTagsMax = 16;
inline constexpr size_t kEventTagBytesMax = 64;
inline constexpr size_t kEventWhereBytesMax = 1024;
inline constexpr size_t kEventWhereAlternativesMax = 8;  // after all braces are expanded

struct Event {
  uint64_t id = 0;  // from 1 on
  Timestamp time{};
  std::optional<Timestamp> until = {};  // not before `time`; nullopt: it has no duration
  std::string title = {};
  std::string text = {};
  std::vector<std::string> tags = {};
  std::string where = {};  // a glob over what it concerns; empty: everything
  std::string by = {};     // the address that sent it
  bool is_own = false;     // the server made it

  bool operator==(const Event&) const = default;
};

// Cuts a text between two characters of UTF-8, so that it has at most `bytes_max` bytes.
std::string shortened_text(std::string text, size_t bytes_max);

// Parses the body of POST /api/v1/events. `now` is the time of an event without one. Errors: kInvalid.
Result<Event> parse_event(std::string_view body, Timestamp now);

// Appends the event as the API answers it, with times in seconds.
void append_event_json(std::string& out, const Event& event);

// The row of an event, and back. Errors: kCorrupt.
DocumentKey event_key(uint64_t id);
DocumentRow event_row(const Event& event);
Result<Event> event_of(const DocumentRow& row);

}  // namespace statmill

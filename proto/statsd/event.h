// Parser for events of DogStatsD, `_e{title size,text size}:title|text|d:time|h:host|t:alert|#tags`
// (proto/PROTOCOL.md). Pure, as proto/statsd/parser.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/verdict.h"
#include "proto/line_sender.h"
#include "proto/refusal.h"

namespace statmill {

// Views into the line; all texts are is_text() (proto/tagged_name.h).
struct StatsdEvent {
  std::string_view title = {};         // not empty
  std::string_view text = {};          // a line end in it is written as \n
  std::string_view tags = {};          // `key:value,flag`, as they are written
  std::string_view host = {};          // empty: not said
  std::string_view alert = {};         // error, warning, info, success; empty: not said
  std::optional<int64_t> time_s = {};  // unix seconds; nullopt: the time of receipt
  LineSender sender = {};
};

// Parses a line that begins with `_e{`. Both sizes are bytes of UTF-8. Ignores other fields. Refuses with
// kFieldCount sizes that do not fit, with kEmptyName an empty title, with kBadName what is no text, with
// kBadTime.
Verdict<Refusal> parse_statsd_event(std::string_view line, StatsdEvent& event);

}  // namespace statmill

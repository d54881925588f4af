// What a setting takes (base/settings.h): its text, into a value of the program's config.
//
// Every taker writes to `out`, which must outlive it, and leaves it alone when the text is at fault. Errors
// of all: kInvalid, naming the text and what it should have been.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "base/text.h"

namespace statmill {

using SettingParser = std::function<Status(const std::string&)>;

// What `parse` makes of the text, given to `put`.
template <class Parse, class Put>
SettingParser parsed_setting(Parse parse, Put put) {
  return [parse = std::move(parse), put = std::move(put)](const std::string& text) -> Status {
    auto value = parse(text);
    if (!value) return std::move(value).error();
    put(*std::move(value));
    return Status::ok();
  };
}

SettingParser text_setting(std::string& out);
// true or false.
SettingParser flag_setting(bool& out);
SettingParser endpoint_setting(Endpoint& out);
// An empty text: none.
SettingParser endpoint_setting(std::optional<Endpoint>& out);
// A whole number in [min, max].
SettingParser count_setting(size_t& out, int64_t min, int64_t max);
// A size in [min, max] (parse_bytes).
SettingParser bytes_setting(size_t& out, uint64_t min, uint64_t max = std::numeric_limits<uint64_t>::max());
// A duration in [min, max] (parse_duration).
SettingParser duration_setting(Duration& out, Duration min, Duration max);

}  // namespace statmill

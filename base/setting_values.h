// Parsers for the values of settings (base/settings.h).
//
// Each parser stores the value in `out`, which must outlive it, and leaves `out` unchanged if the text is
// invalid. Errors of all: kInvalid, with the text and what is expected.
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

// A parser that passes the result of `parse` to `put`.
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
// Accepts "true" and "false".
SettingParser flag_setting(bool& out);
SettingParser endpoint_setting(Endpoint& out);
// An empty text means no endpoint.
SettingParser endpoint_setting(std::optional<Endpoint>& out);
// An integer in [min, max].
SettingParser count_setting(size_t& out, int64_t min, int64_t max);
// A size in [min, max]; see parse_bytes().
SettingParser bytes_setting(size_t& out, uint64_t min, uint64_t max = std::numeric_limits<uint64_t>::max());
// A duration in [min, max]; see parse_duration().
SettingParser duration_setting(Duration& out, Duration min, Duration max);

}  // namespace statmill

// What the parsers of events, dashboards and views share: small steps over Boost.JSON's values.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

inline std::string_view view_of(const boost::json::string& text) { return {text.data(), text.size()}; }
inline std::string_view view_of(boost::json::string_view text) { return {text.data(), text.size()}; }

// Parses a whole document that must be an object, at most 32 levels deep. Errors: kInvalid.
inline Result<boost::json::object> parse_json_object(std::string_view text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse({text.data(), text.size()}, error);
  if (error) return Error{ErrorCode::kInvalid, "the body is not JSON: " + error.message()};
  if (!value.is_object()) return Error{ErrorCode::kInvalid, "the body is not a JSON object"};
  return std::move(value.get_object());
}

// Returns nullopt if the value is not a number.
inline std::optional<double> number_of(const boost::json::value& value) {
  if (const auto* number = value.if_int64()) return static_cast<double>(*number);
  if (const auto* number = value.if_uint64()) return static_cast<double>(*number);
  if (const auto* number = value.if_double()) return *number;
  return std::nullopt;
}

}  // namespace statmill

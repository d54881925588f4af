// AnswerDocument: a JSON document that the server has sent.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill/parse_json.h"

namespace statmill {

// The error for a document that lacks what was asked for.
inline Error not_understood(std::string_view what) {
  return {ErrorCode::kCorrupt,
          "the server's " + std::string(what) + " is not as expected: is it a statmilld of this version?"};
}

// Returns the text of a string or a number.
inline std::string scalar_text(const boost::json::value& v) {
  if (v.is_string()) return std::string(v.get_string());
  if (v.is_double()) {
    std::string out;
    append_number(out, v.get_double());
    return out;
  }
  return boost::json::serialize(v);
}

// Reads values of the expected types from a JSON document. The first value of another
// type marks the whole document as failed.
class AnswerDocument {
 public:
  explicit AnswerDocument(std::string_view text, LongNumbers long_numbers = LongNumbers::kRounded) {
    boost::system::error_code error;
    root_ = parse_json(text, error, long_numbers);
    if (error) failed_ = true;
  }

  bool failed() const { return failed_; }
  const boost::json::value& root() const { return root_; }

  const boost::json::value& field(const boost::json::value& of, std::string_view name) {
    const boost::json::object* object = of.if_object();
    const boost::json::value* found = object != nullptr ? object->if_contains(name) : nullptr;
    if (found == nullptr) failed_ = true;
    return found != nullptr ? *found : nothing_;
  }
  // Returns nullptr if there is no such field.
  const boost::json::value* optional(const boost::json::value& of, std::string_view name) {
    const boost::json::object* object = of.if_object();
    return object != nullptr ? object->if_contains(name) : nullptr;
  }
  const boost::json::array& array(const boost::json::value& v) {
    if (!v.is_array()) failed_ = true;
    return v.is_array() ? v.get_array() : empty_;
  }
  std::string text(const boost::json::value& v) {
    if (!v.is_string()) failed_ = true;
    return v.is_string() ? std::string(v.get_string()) : std::string();
  }
  bool boolean(const boost::json::value& v) {
    if (!v.is_bool()) failed_ = true;
    return v.is_bool() && v.get_bool();
  }
  int64_t integer(const boost::json::value& v) {
    boost::system::error_code error;
    const auto out = v.to_number<int64_t>(error);
    if (error) failed_ = true;
    return error ? 0 : out;
  }
  // Also "NaN", "+Inf" and "-Inf", for which JSON has no numbers.
  std::optional<double> number_or_null(const boost::json::value& v) {
    if (v.is_null()) return std::nullopt;
    if (v == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (v == "+Inf") return std::numeric_limits<double>::infinity();
    if (v == "-Inf") return -std::numeric_limits<double>::infinity();
    boost::system::error_code error;
    const auto out = v.to_number<double>(error);
    if (error) failed_ = true;
    return out;
  }
  // The text of a number, of a document that was parsed with LongNumbers::kTexts.
  std::optional<std::string> number_text_or_null(const boost::json::value& v) {
    if (v.is_null()) return std::nullopt;
    std::string out = scalar_text(v);
    const bool is_special = out == "NaN" || out == "+Inf" || out == "-Inf";
    if (!v.is_number() && !is_special && !is_long_number(out)) failed_ = true;
    return out;
  }

 private:
  boost::json::value root_;
  const boost::json::value nothing_;
  const boost::json::array empty_;
  bool failed_ = false;
};

}  // namespace statmill

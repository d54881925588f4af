#include "tools/statmill/parse_json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <string>
#include <system_error>

#include "base/text.h"

namespace statmill {
namespace {

namespace json = boost::json;
using boost::system::error_code;

// The events of Boost.JSON's parser, which needs these names. All make it continue.
struct ValueBuilder {
  static constexpr size_t max_object_size = json::object::max_size();
  static constexpr size_t max_array_size = json::array::max_size();
  static constexpr size_t max_key_size = json::string::max_size();
  static constexpr size_t max_string_size = json::string::max_size();

  template <class Push>
  static bool push(const Push& value) {
    value();
    return true;
  }
  static bool on_document_begin(error_code&) { return true; }
  static bool on_document_end(error_code&) { return true; }
  static bool on_object_begin(error_code&) { return true; }
  static bool on_array_begin(error_code&) { return true; }
  static bool on_comment_part(json::string_view, error_code&) { return true; }
  static bool on_comment(json::string_view, error_code&) { return true; }
  static bool on_number_part(json::string_view, error_code&) { return true; }  // only for texts in pieces
  bool on_object_end(size_t size, error_code&) {
    return push([&] { stack.push_object(size); });
  }
  bool on_array_end(size_t size, error_code&) {
    return push([&] { stack.push_array(size); });
  }
  bool on_key_part(json::string_view part, size_t, error_code&) {
    return push([&] { stack.push_chars(part); });
  }
  bool on_key(json::string_view rest, size_t, error_code&) {
    return push([&] { stack.push_key(rest); });
  }
  bool on_string_part(json::string_view part, size_t, error_code&) {
    return push([&] { stack.push_chars(part); });
  }
  bool on_string(json::string_view rest, size_t, error_code&) {
    return push([&] { stack.push_string(rest); });
  }
  bool on_int64(int64_t value, json::string_view, error_code&) {
    return push([&] { stack.push_int64(value); });
  }
  bool on_uint64(uint64_t value, json::string_view, error_code&) {
    return push([&] { stack.push_uint64(value); });
  }
  bool on_bool(bool value, error_code&) {
    return push([&] { stack.push_bool(value); });
  }
  bool on_null(error_code&) {
    return push([&] { stack.push_null(); });
  }
  // `value` is the parser's own rounding; std::from_chars leaves it as it is if the number is out of range.
  bool on_double(double value, json::string_view text, error_code&) {
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (long_numbers == LongNumbers::kTexts && is_long_number(text))
      return push([&] { stack.push_string(text); });
    return push([&] { stack.push_double(value); });
  }

  LongNumbers long_numbers = LongNumbers::kRounded;
  json::value_stack stack = {};
};

}  // namespace

bool is_long_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return false;
  std::string shortest;
  append_number(shortest, value);
  return error != std::errc() || shortest != text;
}

json::value parse_json(std::string_view text, error_code& error, LongNumbers long_numbers) {
  json::basic_parser<ValueBuilder> parser{json::parse_options(), long_numbers};
  parser.handler().stack.reset();
  const size_t parsed = parser.write_some(false, text.data(), text.size(), error);
  if (!error && parsed < text.size()) error = json::make_error_code(json::error::extra_data);
  return error ? json::value() : parser.handler().stack.release();
}

}  // namespace statmill

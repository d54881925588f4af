#include "proto/otlp/otlp_json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/hex_bytes.h"
#include "proto/otlp/otlp_fields.h"

namespace statmill {
namespace {

// Parses the whole text.
template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  const auto value = parse<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// An integer as JSON may write it, also with a point or an exponent.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  if (const auto value = parse<T>(text)) return value;
  constexpr double kExact = 9007199254740992;  // 2^53
  const auto real = parse<double>(text);
  if (!real || std::trunc(*real) != *real || std::abs(*real) > kExact) return std::nullopt;
  if (std::is_unsigned_v<T> && *real < 0) return std::nullopt;
  return static_cast<T>(*real);
}

// Writes the message while the parser of JSON reads.
class Transcoder {
 public:
  // Limits of the parser: none, since the body has one.
  static constexpr size_t max_object_size = SIZE_MAX;
  static constexpr size_t max_array_size = SIZE_MAX;
  static constexpr size_t max_key_size = SIZE_MAX;
  static constexpr size_t max_string_size = SIZE_MAX;
  using View = boost::json::string_view;
  using Code = boost::json::error_code;

  std::string& message() { return out_; }
  const std::string& fault() const { return fault_; }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code& code) { return has_object_ || fail(code, "the request is no object"); }

  bool on_object_begin(Code& code) {
    if (!has_object_) {
      has_object_ = true;
      levels_.push_back({OtlpMessage::kRequest, 0, nullptr, false});
      return true;
    }
    if (levels_.empty()) return fail(code, "the request is no object");
    if (skips()) return skip_more();
    Level& level = levels_.back();
    if (level.field->kind != OtlpKind::kMessage || level.field->is_repeated != level.is_array)
      return fail(code, level.field->key);
    write_key(*level.field, 2);
    levels_.push_back({level.field->message, out_.size(), nullptr, false});
    out_.append(kLengthBytes, '\0');
    return true;
  }
  bool on_object_end(std::size_t, Code&) {
    if (skipped_ > 0) return skip_less();
    const Level level = levels_.back();
    levels_.pop_back();
    if (levels_.empty()) return true;
    write_length(level.length_at);
    end_value();
    return true;
  }
  bool on_array_begin(Code& code) {
    if (levels_.empty()) return fail(code, "the request is no object");
    if (skips()) return skip_more();
    Level& level = levels_.back();
    if (!level.field->is_repeated || level.is_array) return fail(code, level.field->key);
    level.is_array = true;
    return true;
  }
  bool on_array_end(std::size_t, Code&) {
    if (skipped_ > 0) return skip_less();
    levels_.back().is_array = false;
    end_value();
    return true;
  }

  bool on_key_part(View part, std::size_t, Code&) { return append(part); }
  bool on_key(View part, std::size_t, Code&) {
    append(part);
    if (skipped_ == 0) levels_.back().field = find_otlp_field(levels_.back().message, text_);
    text_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, Code&) { return append(part); }
  bool on_string(View part, std::size_t, Code& code) {
    append(part);
    return end_scalar(code, write_text());
  }
  bool on_number_part(View part, Code&) { return append(part); }
  bool on_int64(std::int64_t, View part, Code& code) { return on_number(part, code); }
  bool on_uint64(std::uint64_t, View part, Code& code) { return on_number(part, code); }
  bool on_double(double, View part, Code& code) { return on_number(part, code); }
  bool on_bool(bool value, Code& code) {
    const OtlpField* const field = scalar_field();
    if (field != nullptr && field->kind == OtlpKind::kBool) {
      write_key(*field, 0);
      writer_.u8(value ? 1 : 0);
    }
    return end_scalar(code, field == nullptr || field->kind == OtlpKind::kBool);
  }
  bool on_null(Code& code) {
    // Among numbers it would move the others.
    const bool is_element = !levels_.empty() && skipped_ == 0 && levels_.back().is_array;
    return end_scalar(code, !is_element);
  }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }

 private:
  // The length of a message is written as a varint of so many bytes, when it is known.
  static constexpr size_t kLengthBytes = 5;

  struct Level {
    OtlpMessage message;
    size_t length_at;        // where its length is written
    const OtlpField* field;  // of the value that comes; nullptr: it is skipped
    bool is_array;           // the value is an element
  };

  bool fail(Code& code, std::string_view what) {
    if (fault_.empty()) fault_ = what;
    code = boost::json::make_error_code(boost::json::error::syntax);
    return false;
  }
  bool append(View part) {
    if (skipped_ == 0) text_.append(part.data(), part.size());
    return true;
  }
  bool skips() const { return skipped_ > 0 || levels_.back().field == nullptr; }
  bool skip_more() {
    ++skipped_;
    return true;
  }
  bool skip_less() {
    --skipped_;
    if (skipped_ == 0) end_value();
    return true;
  }
  void end_value() {
    if (!levels_.back().is_array) levels_.back().field = nullptr;
  }
  const OtlpField* scalar_field() const {
    return levels_.empty() || skipped_ > 0 ? nullptr : levels_.back().field;
  }
  bool on_number(View part, Code& code) {
    append(part);
    const OtlpField* const field = scalar_field();
    const bool is_number =
        field == nullptr || (field->kind != OtlpKind::kText && field->kind != OtlpKind::kBytes);
    return end_scalar(code, is_number && write_text());
  }
  bool end_scalar(Code& code, bool is_right) {
    text_.clear();
    if (levels_.empty()) return fail(code, "the request is no object");
    if (!is_right) return fail(code, levels_.back().field->key);
    if (skipped_ == 0) end_value();
    return true;
  }

  void write_key(const OtlpField& field, uint64_t wire_type) {
    writer_.varint(field.number << 3 | wire_type);
  }
  void write_length(size_t at) {
    uint64_t size = out_.size() - at - kLengthBytes;
    for (size_t i = 0; i < kLengthBytes; ++i, size >>= 7)
      out_[at + i] = static_cast<char>((size & 0x7f) | (i + 1 < kLengthBytes ? 0x80 : 0));
  }
  template <class T>
  bool write_varint(const OtlpField& field, std::optional<T> value, bool is_zigzag = false) {
    if (!value) return false;
    write_key(field, 0);
    writer_.varint(is_zigzag ? zigzag(static_cast<uint64_t>(*value)) : static_cast<uint64_t>(*value));
    return true;
  }
  template <class T>
  bool write_fixed(const OtlpField& field, std::optional<T> value) {
    if (!value) return false;
    write_key(field, 1);
    const auto bits = std::bit_cast<uint64_t>(*value);
    for (int i = 0; i < 8; ++i) writer_.u8(static_cast<uint8_t>(bits >> (8 * i)));
    return true;
  }
  bool write_bytes(const OtlpField& field, std::string_view bytes) {
    write_key(field, 2);
    writer_.varint(bytes.size());
    writer_.bytes(bytes);
    return true;
  }
  // Writes a text or a number, whose text is in `text_`. Returns false if it is none of the field.
  bool write_text() {
    const OtlpField* const field = scalar_field();
    if (field == nullptr) return true;
    if (field->is_repeated != levels_.back().is_array) return false;
    switch (field->kind) {
      case OtlpKind::kText:
        return write_bytes(*field, text_);
      case OtlpKind::kBytes: {
        const auto bytes = base64_decoded(text_);
        return bytes && write_bytes(*field, *bytes);
      }
      case OtlpKind::kHex: {
        const auto bytes = bytes_of_hex(text_);
        return bytes && write_bytes(*field, *bytes);
      }
      case OtlpKind::kUnsigned:
        return write_varint(*field, parse_whole<uint64_t>(text_));
      case OtlpKind::kSigned:
        return write_varint(*field, parse_whole<int64_t>(text_));
      case OtlpKind::kZigzag:
        return write_varint(*field, parse_whole<int64_t>(text_), true);
      case OtlpKind::kFixed:
        return write_fixed(*field, parse_whole<uint64_t>(text_));
      case OtlpKind::kSignedFixed:
        return write_fixed(*field, parse_whole<int64_t>(text_));
      case OtlpKind::kReal:
        return write_fixed(*field, parse_real(text_));
      case OtlpKind::kBool:
      case OtlpKind::kMessage:
        break;
    }
    return false;
  }

  std::string out_;
  Writer writer_{out_};
  std::vector<Level> levels_;
  size_t skipped_ = 0;  // objects and arrays around the value that nobody reads
  bool has_object_ = false;
  std::string text_;  // of the key, text or number that is being read
  std::string fault_;
};

}  // namespace

Result<std::string> otlp_json_to_protobuf(std::string_view json) {
  boost::json::parse_options options;
  options.max_depth = kOtlpJsonDepthMax;
  boost::json::basic_parser<Transcoder> parser(options);
  boost::json::error_code code;
  const size_t size = parser.write_some(false, json.data(), json.size(), code);
  Transcoder& transcoder = parser.handler();
  if (!transcoder.fault().empty())
    return Error{ErrorCode::kInvalid, "JSON: a value of the wrong type: " + transcoder.fault()};
  if (code) return Error{ErrorCode::kInvalid, "JSON: " + code.message()};
  if (json.substr(size).find_first_not_of(" \t\r\n") != std::string_view::npos)
    return Error{ErrorCode::kInvalid, "JSON: more after its end"};
  return std::move(transcoder.message());
}

}  // namespace statmill

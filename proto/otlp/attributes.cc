#include "proto/otlp/attributes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "proto/protobuf_fields.h"

namespace statmill {
namespace {

// The fields of AnyValue.
constexpr uint64_t kString = 1;
constexpr uint64_t kBool = 2;
constexpr uint64_t kInteger = 3;
constexpr uint64_t kReal = 4;
constexpr uint64_t kArray = 5;
constexpr uint64_t kMap = 6;
constexpr uint64_t kBytes = 7;

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::string text;
  append_number(text, value);
  return text;
}

bool append_json(std::string& out, std::string_view any_value, int depth);

// Both have one field, which is repeated: AnyValue of a list, KeyValue of a map.
bool append_list(std::string& out, std::string_view message, int depth) {
  if (depth > kOtlpDepthMax) return false;
  out += '[';
  ProtobufFields fields(message);
  for (bool is_first = true; fields.next();) {
    if (!fields.is(1, WireType::kBytes)) continue;
    if (!std::exchange(is_first, false)) out += ',';
    if (!append_json(out, fields.bytes(), depth + 1)) return false;
  }
  out += ']';
  return !fields.failed();
}

bool append_map(std::string& out, std::string_view message, int depth) {
  if (depth > kOtlpDepthMax) return false;
  out += '{';
  ProtobufFields fields(message);
  for (bool is_first = true; fields.next();) {
    if (!fields.is(1, WireType::kBytes)) continue;
    if (!std::exchange(is_first, false)) out += ',';
    std::string_view key;
    std::string_view value;
    ProtobufFields pair(fields.bytes());
    while (pair.next()) {
      if (pair.is(1, WireType::kBytes)) key = pair.bytes();
      if (pair.is(2, WireType::kBytes)) value = pair.bytes();
    }
    if (pair.failed()) return false;
    append_json_string(out, key);
    out += ':';
    if (!append_json(out, value, depth + 1)) return false;
  }
  out += '}';
  return !fields.failed();
}

// Appends a value inside a list or a map. Cost: linear in its bytes, since each is of one value.
bool append_json(std::string& out, std::string_view any_value, int depth) {
  const size_t begin = out.size();
  ProtobufFields fields(any_value);
  while (fields.next()) {
    out.resize(begin);  // the last field counts
    if (fields.is(kString, WireType::kBytes) || fields.is(kBytes, WireType::kBytes))
      append_json_string(out, fields.bytes());
    if (fields.is(kBool, WireType::kVarint)) out += fields.integer() != 0 ? "true" : "false";
    if (fields.is(kInteger, WireType::kVarint)) out += std::to_string(fields.signed_integer());
    if (fields.is(kReal, WireType::kFixed64)) out += text_of(fields.real());
    if (fields.is(kArray, WireType::kBytes) && !append_list(out, fields.bytes(), depth)) return false;
    if (fields.is(kMap, WireType::kBytes) && !append_map(out, fields.bytes(), depth)) return false;
  }
  if (out.size() == begin) out += "null";
  return !fields.failed();
}

}  // namespace

void OtlpAttributeReader::clear() {
  count_ = 0;
  texts_.clear();
}

std::string_view OtlpAttributeReader::keep(std::string text) { return texts_.emplace_back(std::move(text)); }

bool OtlpAttributeReader::add(std::string_view key_value) {
  LabelView label;
  std::string_view value;
  ProtobufFields fields(key_value);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) label.name = fields.bytes();
    if (fields.is(2, WireType::kBytes)) value = fields.bytes();
  }
  if (fields.failed()) return false;
  if (++count_ > labels_.size()) return true;
  // The text of a value of another type. The last field counts, and only its text is kept.
  std::string text;
  ProtobufFields any(value);
  while (any.next()) {
    label.value = {};
    text.clear();
    if (any.is(kString, WireType::kBytes) || any.is(kBytes, WireType::kBytes)) label.value = any.bytes();
    if (any.is(kBool, WireType::kVarint)) label.value = any.integer() != 0 ? "true" : "false";
    if (any.is(kInteger, WireType::kVarint)) text = std::to_string(any.signed_integer());
    if (any.is(kReal, WireType::kFixed64)) text = text_of(any.real());
    if (any.is(kArray, WireType::kBytes) && !append_list(text, any.bytes(), 1)) return false;
    if (any.is(kMap, WireType::kBytes) && !append_map(text, any.bytes(), 1)) return false;
  }
  if (!text.empty()) label.value = keep(std::move(text));
  labels_[count_ - 1] = label;
  return !any.failed();
}

OtlpAttributes OtlpAttributeReader::attributes() const {
  return {std::span(labels_).first(std::min(count_, labels_.size())), count_ <= labels_.size()};
}

}  // namespace statmill

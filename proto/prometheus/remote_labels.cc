#include "proto/prometheus/remote_labels.h"

#include <cstdint>

#include "proto/protobuf_fields.h"

namespace statmill {
namespace {

constexpr uint8_t kField1 = 0x0a;
constexpr uint8_t kField2 = 0x12;

// Reads the labels at the begin of a series of 1.0 whose lengths take one byte each, as nearly all do:
//
//   0x0a size | 0x0a size name | 0x12 size value
//
// Returns where it stopped, which is no error: the general reader continues there.
size_t read_short_labels(std::string_view series, RemoteLabels& labels) {
  constexpr size_t kHeads = 4;  // bytes of a label that are not its name or value
  constexpr uint8_t kShortSizeMax = 0x7f;
  size_t at = 0;
  while (series.size() - at >= 2 + kHeads) {
    const auto* const head = reinterpret_cast<const uint8_t*>(series.data()) + at;
    const size_t size = head[1];
    if (head[0] != kField1 || size < kHeads || size > kShortSizeMax || size > series.size() - at - 2) break;
    const size_t name_size = head[3];
    if (head[2] != kField1 || name_size > size - kHeads) break;
    const size_t value_size = size - kHeads - name_size;
    const uint8_t* const value_head = head + kHeads + name_size;
    if (value_head[0] != kField2 || value_head[1] != value_size) break;
    labels.add(
        {series.substr(at + kHeads, name_size), series.substr(at + size + 2 - value_size, value_size)});
    at += size + 2;
  }
  return at;
}

}  // namespace

bool read_remote_label(std::string_view bytes, LabelView& label) {
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) label.name = fields.bytes();
    if (fields.is(2, WireType::kBytes)) label.value = fields.bytes();
  }
  return !fields.failed();
}

Status RemoteLabels::read(std::string_view fields) {
  clear();
  fields.remove_prefix(read_short_labels(fields, *this));
  ProtobufFields rest(fields);
  while (rest.next()) {
    LabelView label;
    if (!rest.is(1, WireType::kBytes)) continue;
    if (!read_remote_label(rest.bytes(), label))
      return Error{ErrorCode::kInvalid, "protobuf: a damaged label"};
    add(label);
  }
  return rest.failed() ? Status(Error{ErrorCode::kInvalid, "protobuf: damaged labels"}) : Status::ok();
}

size_t size_of_labels(std::string_view series) {
  size_t at = 0;
  while (series.size() - at >= 2 && static_cast<uint8_t>(series[at]) == kField1) {
    constexpr size_t kMore = 0x80;  // in a byte of a length, this bit says that another byte follows
    const size_t low = static_cast<uint8_t>(series[at + 1]);
    size_t head = 2;
    size_t size = low;
    if (low >= kMore) {
      const size_t high = series.size() - at == 2 ? kMore : static_cast<uint8_t>(series[at + 2]);
      if (high >= kMore) break;
      head = 3;
      size = high << 7 | (low - kMore);
    }
    if (size > series.size() - at - head) break;
    at += head + size;
  }
  return at;
}

}  // namespace statmill

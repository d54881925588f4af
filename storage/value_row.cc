#include "storage/value_row.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/bytes.h"
#include "storage/keys.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;
// What precedes the fields of an entry: bit 7 of a counter, bit 6 if its start is known, bit 5 if it has more
// than most, then scale + 1.
constexpr uint8_t kCounterBit = 0x80;
constexpr uint8_t kStartBit = 0x40;
constexpr uint8_t kMoreBit = 0x20;
constexpr uint8_t kScaleMask = 0x1f;
constexpr uint64_t kNsPerMs = 1'000'000;

uint32_t checksum(TickNo tick, std::string_view body) { return crc32c(body, crc32c(value_row_key(tick))); }

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, "value row: " + std::string(what)}; }

// Returns a - b for two times that nobody has checked.
int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// The fields of an entry that all have, before they are appended at once: half as many instructions as to
// append each.
class FieldBuffer {
 public:
  void u8(uint8_t v) { *at_++ = static_cast<char>(v); }
  void u64be(uint64_t v) {
    if (std::endian::native == std::endian::little) v = __builtin_bswap64(v);
    std::memcpy(at_, &v, sizeof(v));
    at_ += sizeof(v);
  }
  void svarint(int64_t v) {
    uint64_t rest = zigzag(static_cast<uint64_t>(v));
    for (; rest >= 0x80; rest >>= 7) u8(static_cast<uint8_t>(rest | 0x80));
    u8(static_cast<uint8_t>(rest));
  }
  std::string_view text() const { return {bytes_.data(), static_cast<size_t>(at_ - bytes_.data())}; }

 private:
  static constexpr size_t kVarintBytesMax = 10;
  std::array<char, 2 * sizeof(uint64_t) + 1 + 4 * kVarintBytesMax> bytes_;
  char* at_ = bytes_.data();
};

bool is_valid(const Number& value) {
  if (!value.is_decimal()) return std::isfinite(value.value());
  return value.scale <= Number::kScaleMax && -Number::kMantissaMax <= value.mantissa &&
         value.mantissa <= Number::kMantissaMax;
}

}  // namespace

ValueRowWriter::ValueRowWriter(Timestamp now, size_t bytes_expected) : now_s_(unix_seconds(now)) {
  bytes_.reserve(bytes_expected);
  Writer writer(bytes_);
  writer.u8(kVersion);
  writer.svarint(now_s_);
}

void ValueRowWriter::add(const LastValue& value) {
  is_empty_ = false;
  const bool has_start = value.start_ms != 0;
  const bool has_more = value.time_ns != 0 || value.histogram;
  FieldBuffer entry;
  entry.u64be(value.name.high);
  entry.u64be(value.name.low);
  entry.u8(static_cast<uint8_t>((value.is_counter ? kCounterBit : 0) | (has_start ? kStartBit : 0) |
                                (has_more ? kMoreBit : 0) | (value.value.scale + 1)));
  entry.svarint(value.value.mantissa);
  entry.svarint(difference(value.time_ms, time_ms_));
  entry.svarint(difference(now_s_, value.seen_s));
  if (has_start) entry.svarint(difference(value.time_ms, value.start_ms));
  bytes_.append(entry.text());
  if (has_more) {
    Writer writer(bytes_);
    writer.varint(value.time_ns);
    writer.varint(value.histogram ? value.histogram->size() + 1 : 0);
    if (value.histogram) writer.bytes(*value.histogram);
  }
  time_ms_ = value.time_ms;
}

std::string ValueRowWriter::finish(TickNo tick) && {
  Writer(bytes_).u32be(checksum(tick, bytes_));
  return std::move(bytes_);
}

Result<ValueRowReader> ValueRowReader::open(TickNo tick, std::string_view bytes) {
  if (bytes.size() < kChecksumBytes + 1) return corrupt("too short");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size())).u32be() != checksum(tick, body)) return corrupt("checksum");
  Reader reader(body);
  if (reader.u8() != kVersion) return Error{ErrorCode::kVersion, "value row: unknown version"};
  const int64_t now_s = reader.svarint();
  if (reader.failed()) return corrupt("length");
  ValueRowReader opened(reader.rest());
  opened.now_s_ = now_s;
  return opened;
}

Result<std::optional<LastValue>> ValueRowReader::next() {
  if (entries_.empty()) return std::optional<LastValue>();
  Reader reader(entries_);
  LastValue value;
  value.name.high = reader.u64be();
  value.name.low = reader.u64be();
  const uint8_t flags = reader.u8();
  value.is_counter = (flags & kCounterBit) != 0;
  value.value.scale = static_cast<int8_t>((flags & kScaleMask) - 1);
  value.value.mantissa = reader.svarint();
  value.time_ms = time_ms_ = sum(time_ms_, reader.svarint());
  value.seen_s = difference(now_s_, reader.svarint());
  if ((flags & kStartBit) != 0) value.start_ms = difference(value.time_ms, reader.svarint());
  if ((flags & kMoreBit) != 0) {
    const uint64_t time_ns = reader.varint();
    if (time_ns >= kNsPerMs) return corrupt("a part of a millisecond");
    value.time_ns = static_cast<uint32_t>(time_ns);
    const uint64_t size = reader.varint();
    if (size > 0) value.histogram = std::make_shared<const std::string>(reader.bytes(size - 1));
  }
  if (reader.failed()) return corrupt("length");
  if (!is_valid(value.value)) return corrupt("a value that no sample can have");
  entries_ = reader.rest();
  return std::optional(value);
}

std::string value_row_key(TickNo tick) {
  std::string key(kValuesPrefix);
  Writer(key).u64be(tick);
  return key;
}

std::optional<TickNo> parse_value_row_key(std::string_view bytes) {
  if (!bytes.starts_with(kValuesPrefix) || bytes.size() != kValuesPrefix.size() + sizeof(TickNo))
    return std::nullopt;
  return Reader(bytes.substr(kValuesPrefix.size())).u64be();
}

}  // namespace statmill

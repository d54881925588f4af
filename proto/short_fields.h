// Fields of at most sixteen bytes, as times and values nearly always are: where they end, and times that come
// again and again. What is longer is left to the roads of line_text.h.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes16.h"

namespace statmill {

// How many bytes must be there behind a place from which a field is looked for.
inline constexpr ptrdiff_t kShortFieldRoom = 17;

// A field that a space or LF ends; of any other text not a field.
struct ShortField {
  const char* begin = nullptr;
  size_t size = 0;  // 0: there is none, or it is longer
  Bytes16 bytes{};  // it, and what follows

  // Requires: kShortFieldRoom bytes from `at` on.
  static ShortField at(const char* at) {
    const Bytes16 bytes = bytes16_at(at);
    constexpr uint64_t kBehind = uint64_t{1} << 16;
    const auto size = static_cast<size_t>(std::countr_zero(bits_of(bytes < 33) | kBehind));
    return {at, size, bytes};
  }
  const char* end() const { return begin + size; }
  bool ends_with(char byte) const { return *end() == byte; }
  std::string_view text() const { return {begin, size}; }
};

// The time of the line before: neighbours mostly have the same, so a time is mostly read by comparing.
class RepeatedTime {
 public:
  // What `read`, text -> whether it could be read and the time of a sample, makes of the field.
  template <class Read>
  bool read(const ShortField& field, std::optional<int64_t>& time_s, const Read& read) {
    const uint64_t all = (uint64_t{1} << field.size) - 1;
    if (all == 0 || all != all_ || (bits_of(field.bytes == bytes_) & all) != all) {
      all_ = 0;
      time_s_.reset();
      if (!read(field.text(), time_s_)) return false;
      all_ = all;
      bytes_ = field.bytes;
    }
    time_s = time_s_;
    return true;
  }

 private:
  Bytes16 bytes_{};
  uint64_t all_ = 0;  // a bit for each byte of the text; 0: no time yet
  std::optional<int64_t> time_s_;
};

}  // namespace statmill

// Fast parsing of fields of at most sixteen bytes, as nearly all times and values are: finds their ends, and
// reads repeated times by comparison. Longer fields are left to the general functions of line_text.h.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes16.h"

namespace statmill {

// The number of readable bytes that a search for a field requires.
inline constexpr ptrdiff_t kFastFieldRoom = 17;

// A field that ends before a byte below 33, usually a space or LF: check with ends_with().
struct FastField {
  const char* begin = nullptr;
  size_t size = 0;  // at most 16; a longer field is cut to 16, and ends_with() is then false
  Bytes16 bytes{};  // the field and the bytes after it

  // Requires: kFastFieldRoom readable bytes from `at` on.
  static FastField at(const char* at) {
    const Bytes16 bytes = bytes16_at(at);
    constexpr uint64_t kAfterField = uint64_t{1} << 16;
    const auto size = static_cast<size_t>(std::countr_zero(bits_of(bytes < 33) | kAfterField));
    return {at, size, bytes};
  }
  const char* end() const { return begin + size; }
  bool ends_with(char byte) const { return *end() == byte; }
  std::string_view text() const { return {begin, size}; }
};

// Remembers the time of the previous line: most neighbours have the same
// one, so comparing it is usually enough.
class RepeatedTime {
 public:
  // Sets `time_s` to what `read(text, time_s)` reads from the field, without calling it if the field has the
  // same bytes as the previous one. Returns false if `read` does.
  template <class Read>
  bool read(const FastField& field, std::optional<int64_t>& time_s, const Read& read) {
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
  uint64_t all_ = 0;  // one bit per byte of the text; 0: no time yet
  std::optional<int64_t> time_s_;
};

}  // namespace statmill

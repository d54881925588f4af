// UnreadBytes: what a connection has received but not yet handled, such as a part of a frame.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace statmill {

class UnreadBytes {
 public:
  static constexpr size_t kEmptyCapacityMax = 4096;  // an empty one keeps no more memory

  std::string_view text() const { return bytes_; }
  size_t capacity() const { return bytes_.capacity(); }

  // Replaces all bytes. Requires: `bytes` is not a part of text().
  void assign(std::string_view bytes) {
    bytes_.assign(bytes);
    shrink_if_empty();
  }
  // Drops the first `count` bytes.
  void drop(size_t count) {
    bytes_.erase(0, count);
    shrink_if_empty();
  }

 private:
  void shrink_if_empty() {
    if (bytes_.empty() && bytes_.capacity() > kEmptyCapacityMax) std::string().swap(bytes_);
  }

  std::string bytes_;
};

}  // namespace statmill

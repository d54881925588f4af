// Keys: what a user types, out of the bytes that a terminal sends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace statmill {

enum class KeyName {
  kText,  // a character
  kUp,
  kDown,
  kLeft,
  kRight,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kEnter,
  kTab,
  kBackspace,
  kEscape,
  kInterrupt,  // Ctrl-C
  kSuspend,    // Ctrl-Z
  kRedraw,     // Ctrl-L
};

struct Key {
  KeyName name = KeyName::kText;
  std::string text = {};  // one character in UTF-8, for kText

  bool operator==(const Key&) const = default;
};

// Bounded: an unfinished sequence is at most a few bytes. One thread at a time may use it.
class KeyParser {
 public:
  // Appends bytes as they were read, and returns the keys that are complete. Unknown sequences give nothing.
  std::vector<Key> parse(std::string_view bytes);
  // Call it when nothing has followed for a moment: an escape byte alone was the key.
  std::vector<Key> flush();
  // Returns true if a sequence has begun.
  bool is_waiting() const { return !rest_.empty(); }

 private:
  std::string rest_;
};

}  // namespace statmill

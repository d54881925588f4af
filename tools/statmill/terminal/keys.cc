#include "tools/statmill/terminal/keys.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

constexpr char kEscapeByte = '\x1b';
constexpr size_t kSequenceBytesMax = 32;

struct Found {
  std::optional<Key> key;
  size_t length = 0;  // 0: more bytes are needed
};

std::optional<Key> control_key(char c) {
  switch (c) {
    case '\r':
    case '\n':
      return Key{KeyName::kEnter};
    case '\t':
      return Key{KeyName::kTab};
    case '\x7f':
    case '\b':
      return Key{KeyName::kBackspace};
    case '\x03':
      return Key{KeyName::kInterrupt};
    case '\x1a':
      return Key{KeyName::kSuspend};
    case '\x0c':
      return Key{KeyName::kRedraw};
    default:
      return std::nullopt;
  }
}

// `parameters` is what is between ESC [ or ESC O and the last byte.
std::optional<Key> sequence_key(std::string_view parameters, char last) {
  switch (last) {
    case 'A':
      return Key{KeyName::kUp};
    case 'B':
      return Key{KeyName::kDown};
    case 'C':
      return Key{KeyName::kRight};
    case 'D':
      return Key{KeyName::kLeft};
    case 'H':
      return Key{KeyName::kHome};
    case 'F':
      return Key{KeyName::kEnd};
    case 'M':
      return parameters.empty() ? std::optional(Key{KeyName::kEnter}) : std::nullopt;
    case '~':
      break;
    default:
      return std::nullopt;
  }
  const std::string_view number = parameters.substr(0, parameters.find(';'));
  if (number == "1" || number == "7") return Key{KeyName::kHome};
  if (number == "4" || number == "8") return Key{KeyName::kEnd};
  if (number == "5") return Key{KeyName::kPageUp};
  if (number == "6") return Key{KeyName::kPageDown};
  return std::nullopt;
}

// ESC [ PARAMETERS LAST, or ESC O LAST. Other bytes after ESC are the escape key and what follows.
Found find_sequence(std::string_view bytes) {
  if (bytes.size() == 1) return {};
  if (bytes[1] != '[' && bytes[1] != 'O') return {Key{KeyName::kEscape}, 1};
  for (size_t i = 2; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c >= 0x40 && c <= 0x7e) return {sequence_key(bytes.substr(2, i - 2), c), i + 1};
    if (c < 0x20 || i >= kSequenceBytesMax) return {std::nullopt, i};  // damaged: dropped
  }
  return {};
}

// Returns true if more bytes may complete a character of UTF-8.
bool is_cut_character(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes.front());
  if (first < 0xc2 || first > 0xf4) return false;
  size_t length = 2;
  if (first >= 0xe0) length = first >= 0xf0 ? 4 : 3;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; };
  return bytes.size() < length && std::all_of(bytes.begin() + 1, bytes.end(), continues);
}

Found find_key(std::string_view bytes) {
  const char c = bytes.front();
  if (c == kEscapeByte) return find_sequence(bytes);
  if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') return {control_key(c), 1};
  const size_t length = utf8_length(bytes);
  if (length > 0) return {Key{KeyName::kText, std::string(bytes.substr(0, length))}, length};
  return {std::nullopt, is_cut_character(bytes) ? 0U : 1U};
}

}  // namespace

std::vector<Key> KeyParser::parse(std::string_view bytes) {
  rest_.append(bytes);
  std::vector<Key> keys;
  size_t at = 0;
  while (at < rest_.size()) {
    Found found = find_key(std::string_view(rest_).substr(at));
    if (found.length == 0) break;
    if (found.key) keys.push_back(std::move(*found.key));
    at += found.length;
  }
  rest_.erase(0, at);
  return keys;
}

std::vector<Key> KeyParser::flush() {
  std::vector<Key> keys;
  if (rest_ == std::string(1, kEscapeByte)) keys.push_back({KeyName::kEscape});
  rest_.clear();
  return keys;
}

}  // namespace statmill

#include "counters/cell_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace statmill::cell_file {
namespace {

// Reads at most `bytes` bytes from the start of a file into `text`. Returns an empty view if it cannot be
// read.
std::string_view read_text(const char* path, char* text, size_t bytes) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = ::read(file, text, bytes);
  ::close(file);
  return {text, size < 0 ? 0 : static_cast<size_t>(size)};
}

std::string_view next_word(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

uint64_t process_start(const char* proc_directory) noexcept {
  std::array<char, 64> path{};
  std::array<char, 1024> buffer{};
  std::snprintf(path.data(), path.size(), "%s/stat", proc_directory);
  std::string_view text = read_text(path.data(), buffer.data(), buffer.size());
  const size_t name_end = text.rfind(')');  // the name may contain any bytes
  if (name_end == std::string_view::npos) return 0;
  text.remove_prefix(name_end + 1);
  const std::string_view state = next_word(text);  // field 3
  if (state == "Z" || state == "X") return 0;
  for (int field = 4; field < 22; ++field) next_word(text);
  uint64_t ticks = 0;
  for (const char digit : next_word(text)) {
    if (digit < '0' || digit > '9') return 0;
    ticks = ticks * 10 + static_cast<uint64_t>(digit - '0');
  }
  return ticks;
}

std::array<char, 40> boot_id() noexcept {
  std::array<char, 40> id{};
  constexpr size_t kDigits = 36;  // of a UUID, without the line feed after it
  read_text("/proc/sys/kernel/random/boot_id", id.data(), kDigits);
  return id;
}

}  // namespace statmill::cell_file

#include "agent/collectors/process_text.h"

#include <algorithm>

#include "agent/collectors/proc_text.h"
#include "base/hidden_characters.h"
#include "base/number_text.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr uint64_t kKernelThreadFlag = 0x00200000;  // PF_KTHREAD (include/linux/sched.h)

// Letters of fs/proc/array.c, in the order of kProcessStates.
constexpr std::string_view kStateLetters = "RSDTtZI";

// The words of the line after the name, by their numbers in proc(5).
class StatWords {
 public:
  explicit StatWords(std::string_view rest) : rest_(rest) {}

  // Requires: `number` is greater than that of the call before.
  std::string_view word(size_t number) {
    std::string_view found;
    for (; next_ <= number; ++next_) found = next_word(rest_);
    return found;
  }
  std::optional<uint64_t> number(size_t number) { return parse_as<uint64_t>(word(number)); }

 private:
  std::string_view rest_;
  size_t next_ = 3;
};

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view stat) {
  // The name may contain `)`, but what follows it does not.
  const size_t name_begin = stat.find('(');
  const size_t name_end = stat.rfind(')');
  if (name_begin == std::string_view::npos || name_end == std::string_view::npos || name_end < name_begin)
    return std::nullopt;
  StatWords words(stat.substr(name_end + 1, stat.find('\n', name_end) - name_end - 1));
  const std::string_view state = words.word(3);
  const std::optional<uint64_t> flags = words.number(9);
  const std::optional<uint64_t> user_ticks = words.number(14);
  const std::optional<uint64_t> system_ticks = words.number(15);
  const std::optional<uint64_t> threads = words.number(20);
  const std::optional<uint64_t> start_ticks = words.number(22);
  const std::optional<uint64_t> resident_pages = words.number(24);
  if (state.size() != 1 || !flags || !user_ticks || !system_ticks || !threads || !start_ticks ||
      !resident_pages)
    return std::nullopt;
  const size_t letter = kStateLetters.find(state.front());
  return ProcessStat{.name = stat.substr(name_begin + 1, name_end - name_begin - 1),
                     .state = std::min(letter, kStateLetters.size()),
                     .is_kernel_thread = (*flags & kKernelThreadFlag) != 0,
                     .cpu_ticks = *user_ticks + *system_ticks,
                     .threads = *threads,
                     .start_ticks = *start_ticks,
                     .resident_pages = *resident_pages};
}

std::string program_name(std::string_view name) {
  name = name.substr(0, kProgramNameBytesMax);
  std::string shown;
  while (!name.empty()) {
    const size_t length = utf8_length(name);
    const bool is_control = name.front() >= 0 && (name.front() < ' ' || name.front() == '\x7f');
    const std::string_view character = name.substr(0, std::max<size_t>(length, 1));
    if (length == 0 || is_control || has_hidden_character(character)) {
      shown += '?';
    } else {
      shown += character;
    }
    name.remove_prefix(character.size());
  }
  return shown.empty() ? "?" : shown;
}

std::optional<LoginSession> parse_login_session(std::string_view session) {
  std::string_view session_class;
  std::string_view state;
  std::optional<uint32_t> user;
  const auto has_key = [](std::string_view& line, std::string_view key) {
    if (!line.starts_with(key)) return false;
    line.remove_prefix(key.size());
    return true;
  };
  while (!session.empty()) {
    std::string_view line = next_line(session);
    if (has_key(line, "CLASS=")) session_class = line;
    if (has_key(line, "STATE=")) state = line;
    if (has_key(line, "UID=")) user = parse_as<uint32_t>(line);
  }
  if (session_class.empty() || !user) return std::nullopt;
  return LoginSession{.is_of_user = session_class.starts_with("user") && state != "closing", .user = *user};
}

}  // namespace statmill

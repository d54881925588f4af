// Parsers for what the kernel and the service manager write about processes and sessions, as pure functions:
// /proc/PID/stat (proc(5)) and /run/systemd/sessions (systemd's src/login).
//
// Any user may name a process with any bytes, so nothing here trusts a name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace statmill {

// "other": parked, dead, and what kernels may add.
inline constexpr std::array<std::string_view, 8> kProcessStates = {
    "running", "sleeping", "disk_sleep", "stopped", "traced", "zombie", "idle", "other"};

struct ProcessStat {
  std::string_view name = {};     // as the kernel has it: any bytes but NUL, usually at most 15
  size_t state = 0;               // an index of kProcessStates
  bool is_kernel_thread = false;  // it has no program
  uint64_t cpu_ticks = 0;         // in user and kernel mode, of all its threads, those that ended included
  uint64_t threads = 0;
  uint64_t start_ticks = 0;  // when it started, since boot
  uint64_t resident_pages = 0;
};
// Returns nullopt if the text is not as proc(5) says. The name is valid as long as the text. Cost: one pass.
std::optional<ProcessStat> parse_process_stat(std::string_view stat);

inline constexpr size_t kProgramNameBytesMax = 15;  // the kernel keeps as many

// Returns the name as a tag has it: its first kProgramNameBytesMax bytes, each control byte, each byte that
// is not part of UTF-8 and each hidden character as one `?`. Never empty.
std::string program_name(std::string_view name);

// A session that the service manager knows.
struct LoginSession {
  bool is_of_user = false;  // somebody is logged in: it is neither a greeter nor a background job, nor ends
  uint32_t user = 0;        // the number
};
// Returns nullopt if the text lacks the class or the user.
std::optional<LoginSession> parse_login_session(std::string_view session);

}  // namespace statmill

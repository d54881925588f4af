#include "base/thread_times.h"

#include <time.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "base/number_text.h"

namespace statmill {
namespace {

// The clock of a thread of this process (clock_getcpuclockid(3) is for processes only,
// pthread_getcpuclockid(3) needs a pthread_t that is still valid): the kernel's CPUCLOCK_PERTHREAD_MASK and
// CPUCLOCK_SCHED.
clockid_t clock_of(pid_t thread) { return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | 6U); }

std::optional<uint64_t> read_clock(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

std::vector<ThreadTime> thread_times() {
  std::vector<ThreadTime> out;
  std::error_code error;
  std::filesystem::directory_iterator tasks("/proc/self/task", error);
  for (; !error && tasks != std::filesystem::directory_iterator(); tasks.increment(error)) {
    const auto id = parse_as<pid_t>(tasks->path().filename().native());
    const auto cpu_ns = id ? read_clock(clock_of(*id)) : std::nullopt;
    std::string name;
    if (cpu_ns && std::getline(std::ifstream(tasks->path() / "comm"), name))
      out.push_back({*id, std::move(name), *cpu_ns});
  }
  return out;
}

uint64_t process_cpu_ns() { return read_clock(CLOCK_PROCESS_CPUTIME_ID).value_or(0); }

}  // namespace statmill

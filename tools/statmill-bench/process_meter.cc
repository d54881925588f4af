#include "tools/statmill-bench/process_meter.h"

#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <deque>
#include <fstream>
#include <string>
#include <thread>

#include "tools/statmill-bench/system_error.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookInterval{20};

Error meter_error(const char* what, pid_t pid, int error = errno) {
  return system_error(ErrorCode::kIo, std::string(what) + " of process " + std::to_string(pid), error);
}

}  // namespace

Result<nanoseconds> ProcessMeter::cpu_time() const {
  clockid_t clock{};
  timespec time{};
  if (const int error = ::clock_getcpuclockid(pid_, &clock); error != 0)
    return meter_error("CPU time", pid_, error);
  if (::clock_gettime(clock, &time) != 0) return meter_error("CPU time", pid_);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

Result<uint64_t> ProcessMeter::resident_bytes() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
  uint64_t total_pages = 0;
  uint64_t resident_pages = 0;
  if (!(file >> total_pages >> resident_pages)) return meter_error("memory", pid_);
  return resident_pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<nanoseconds> ProcessMeter::wait_until_idle(Duration window, Duration limit) const {
  struct Look {
    steady_clock::time_point time;
    nanoseconds cpu;
  };
  const auto begin = steady_clock::now();
  std::deque<Look> looks;  // spans at least `window`, once it has enough entries
  while (steady_clock::now() - begin <= limit + window) {
    const Result<nanoseconds> cpu = cpu_time();
    if (!cpu) return cpu.error();
    looks.push_back({steady_clock::now(), *cpu});
    while (looks.size() > 1 && looks.back().time - looks[1].time >= window) looks.pop_front();
    const auto passed = looks.back().time - looks.front().time;
    if (passed >= window && is_at_rest(looks.back().cpu - looks.front().cpu, passed))
      return looks.front().time - begin;
    std::this_thread::sleep_for(kLookInterval);
  }
  return Error{ErrorCode::kUnavailable, "process " + std::to_string(pid_) + " does not come to rest"};
}

}  // namespace statmill

#include "ingest/program_metrics.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace statmill {
namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

nanoseconds time_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

// Returns a number of /proc/self/stat by its place in proc(5), of 3 and above.
std::optional<double> number_of_stat(int place) {
  std::ifstream file("/proc/self/stat");
  std::string word;
  // The second is the name of the program in parentheses, which may contain blanks and parentheses.
  if (!std::getline(file, word)) return std::nullopt;
  word.erase(0, word.rfind(')') + 1);
  std::istringstream rest(word);
  for (int i = 3; i <= place; ++i) rest >> word;
  const char* end = word.data() + word.size();
  double number = 0;
  if (!rest || std::from_chars(word.data(), end, number).ptr != end) return std::nullopt;
  return number;
}

// Returns how much the process has made the kernel write to disks; nullopt if the kernel does not say.
std::optional<uint64_t> disk_written_bytes() {
  std::ifstream file("/proc/self/io");
  std::string key;
  for (uint64_t value = 0; file >> key >> value;) {
    if (key == "write_bytes:") return value;
  }
  return std::nullopt;
}

double threads() { return number_of_stat(20).value_or(kUnknown); }
double virtual_bytes() { return number_of_stat(23).value_or(kUnknown); }
double resident_bytes() {
  const std::optional<double> pages = number_of_stat(24);
  return pages ? *pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) : kUnknown;
}

// Seconds since 1970, by the clock as it is now.
double start_time() {
  const std::optional<double> ticks_since_boot = number_of_stat(22);
  if (!ticks_since_boot) return kUnknown;
  const duration<double> boot = time_of(CLOCK_REALTIME) - time_of(CLOCK_BOOTTIME);
  return boot.count() + *ticks_since_boot / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double open_files() {
  struct stat directory {};
  if (::stat("/proc/self/fd", &directory) == 0 && directory.st_size > 0)
    return static_cast<double>(directory.st_size);  // since Linux 6.2
  std::error_code error;
  std::filesystem::directory_iterator files("/proc/self/fd", error);
  double count = -1;  // one of them is the directory, open while it is read
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) ++count;
  return error ? kUnknown : count;
}

double open_files_max() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : kUnknown;
}

std::string compiler() {
#if defined(__clang__)
  constexpr std::string_view kName = "clang";
  constexpr std::array<int, 3> kVersion = {__clang_major__, __clang_minor__, __clang_patchlevel__};
#else
  constexpr std::string_view kName = "gcc";
  constexpr std::array<int, 3> kVersion = {__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__};
#endif
  std::string text(kName);
  char separator = '-';
  for (const int part : kVersion) {
    text.append(1, std::exchange(separator, '.')).append(std::to_string(part));
  }
  return text;
}

}  // namespace

void register_program_metrics(Registry& registry) {
  registry.gauge_fn("statmill.build_info", "1; the labels say what was built, and by which compiler.",
                    {{"version", STATMILL_VERSION}, {"compiler", compiler()}}, [] { return 1.0; });
  registry.counter_fn("process.cpu_ns", "CPU time used by the process, user and system.", {},
                      [] { return static_cast<uint64_t>(time_of(CLOCK_PROCESS_CPUTIME_ID).count()); });
  if (disk_written_bytes()) {
    registry.counter_fn("process.disk_written_bytes",
                        "Bytes that the process had the kernel write to disks, in whole pages.", {},
                        [last = std::make_shared<std::atomic<uint64_t>>(0)] {
                          // It never goes back, even if the file cannot be opened for want of a descriptor.
                          if (const auto bytes = disk_written_bytes()) last->store(*bytes);
                          return last->load();
                        });
  }
  registry.gauge_fn("process.resident_memory_bytes", "Resident memory of the process.", {}, resident_bytes);
  registry.gauge_fn("process.virtual_memory_bytes", "Virtual memory of the process.", {}, virtual_bytes);
  registry.gauge_fn("process.threads", "Threads of the process.", {}, threads);
  registry.gauge_fn("process.open_fds", "Open file descriptors.", {}, open_files);
  registry.gauge_fn("process.max_fds", "Limit of open file descriptors.", {}, open_files_max);
  registry.gauge_fn("process.start_time_seconds", "When the process started, in seconds since 1970.", {},
                    [start = start_time()] { return start; });
}

}  // namespace statmill

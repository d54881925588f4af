#include "tests/support/thread_staller.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

namespace statmill {
namespace {

constexpr int kSignal = SIGUSR2;
constexpr auto kPause = std::chrono::milliseconds(1);

// How long the handler sleeps. Written by the staller, read by the handlers.
std::atomic<int64_t> stall_ns{0};

void stall(int) {
  const int error = errno;
  const timespec time{0, stall_ns.load()};
  ::nanosleep(&time, nullptr);
  errno = error;
}

}  // namespace

size_t stops_of_environment() {
  if (const char* stops = std::getenv("SM_STOPS")) return std::strtoul(stops, nullptr, 10);
  const char* tier = std::getenv("SM_TIER");
  return tier != nullptr && std::string_view(tier) == "nightly" ? 200 : 5;
}

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  std::error_code gone;  // a thread may end meanwhile
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", gone))
    threads.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  return threads;
}

ThreadStaller::ThreadStaller(std::vector<pid_t> threads, uint64_t seed) : threads_(std::move(threads)) {
  struct sigaction action {};  // never restored: a signal may be pending when the staller has ended
  action.sa_handler = stall;
  action.sa_flags = SA_RESTART;
  ::sigaction(kSignal, &action, nullptr);
  thread_ = std::thread([this, seed] { run(seed); });
}

ThreadStaller::~ThreadStaller() {
  is_stopping_ = true;
  thread_.join();
}

void ThreadStaller::run(uint64_t seed) {
  std::mt19937_64 random(seed);
  while (!is_stopping_) {
    stall_ns = static_cast<int64_t>(random() % 8'000'000);
    // Fails if the thread has ended.
    static_cast<void>(::syscall(SYS_tgkill, ::getpid(), threads_[random() % threads_.size()], kSignal));
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace statmill

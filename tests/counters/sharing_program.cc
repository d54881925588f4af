// A program that shares its cells, for sharing_test.cc. It performs the action given as its argument, and
// prints the path of its file to standard error ("ready ...", or why there is none). Then it ends or waits to
// be killed.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "statmill/counter.h"
#include "statmill/gauge.h"
#include "statmill/histogram.h"
#include "statmill/share.h"

STATMILL_SHARE_CELLS("/nowhere/statmill");

namespace {

using namespace statmill;

Counter requests{"shop.requests;code=200", "Made before main."};
CounterGroup<2> disk{{{{"disk.reads"}, {"disk.bytes"}}}};
Histogram<> latency{"shop.latency_ns"};
Gauge queue{"shop.queue"};

// Executes itself again, so that its cells are created under the limit.
void limit_files(char** arguments) {
  const rlimit small{1 << 20, 1 << 20};
  rlimit now{};
  if (::getrlimit(RLIMIT_FSIZE, &now) != 0 || now.rlim_cur == small.rlim_cur) return;
  ::setrlimit(RLIMIT_FSIZE, &small);
  ::execv("/proc/self/exe", arguments);
}

void write_file(const char* path, const std::string& text) { std::ofstream(path) << text; }

// Executes itself again, with a small private file system mounted over its directory.
void mount_small(char** arguments) {
  const char* const directory = std::getenv("STATMILL_SHARE");
  if (std::getenv("SHARING_IS_SMALL") != nullptr || directory == nullptr) return;
  const long bytes = (::sysconf(_SC_NPROCESSORS_CONF) + 1) * 8 * ::sysconf(_SC_PAGESIZE);
  const std::string options = "size=" + std::to_string(bytes);
  const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(::getegid()) + " 1";
  const bool is_apart = ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  if (is_apart) write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", user);
  write_file("/proc/self/gid_map", group);
  if (!is_apart || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", directory, "tmpfs", 0, options.c_str()) != 0) {
    std::fprintf(stderr, "cannot mount: %s\n", std::strerror(errno));
    std::_Exit(0);
  }
  ::setenv("SHARING_IS_SMALL", "1", 1);
  ::execv("/proc/self/exe", arguments);
}

// Claims more cells than there is space for.
int fill() {
  std::vector<std::unique_ptr<Histogram<>>> histograms;
  for (int i = 0; i < 100; ++i) {
    histograms.push_back(std::make_unique<Histogram<>>("sizes"));
    for (uint64_t value = 1; value < 1'000'000; value *= 2) histograms.back()->record(value);
  }
  size_t with_cells = 0;
  for (const auto& histogram : histograms) with_cells += histogram->count() == 20 ? 1U : 0U;
  std::fprintf(stderr, "%zu of them, %llu adds without\n", with_cells,
               static_cast<unsigned long long>(adds_without_cell()));
  return with_cells > 0 && with_cells < 100 && adds_without_cell() != 0 ? 0 : 1;
}

void count_from_threads() {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (uint64_t i = 0; i < 100'000; ++i) {
        requests.add();
        disk.add<1>(512);
        latency.record(1000 * t + i % 10);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void end_instruments() {
  { Counter("short.lived").add(5); }
  Counter other("other");
  other.add(7);
  { Histogram<3, 10>("sizes").record_with(9, "trace_id=old"); }
  { Histogram<3, 10>("sizes.again").record(100); }  // reuses the cells
  { Histogram<3, 12>("sizes.last").record(200); }
  { Counter("short.lived").add(6); }
}

int count_in_child() {
  requests.add(10);
  const pid_t child = ::fork();
  if (child == 0) {
    requests.add(1);
    Counter more("of.the.child");
    more.add(3);
    const bool is_right = requests.value() == 1 && share_path() == nullptr && share_error() != nullptr;
    const pid_t grandchild = ::fork();
    if (grandchild == 0) ::_exit(requests.value() == 0 ? 0 : 1);
    int status = 1;
    ::waitpid(grandchild, &status, 0);
    ::_exit(is_right && status == 0 ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return status;
}

// Records on SIGUSR1, which must be blocked, and ends.
[[noreturn]] void record_and_end(const sigset_t& start) {
  int number = 0;
  ::sigwait(&start, &number);
  for (uint64_t i = 0; i < 8; ++i) latency.record(1000 * i + 3);
  ::_exit(0);
}

// Two threads replace the exemplar with ever larger values, which its label has, too. They pause, so that a
// reader finds it whole at times.
[[noreturn]] void replace_exemplars() {
  static std::atomic<uint64_t> next{1};
  const auto replace = [] {
    while (true) {
      for (int i = 0; i < 50; ++i) {
        const uint64_t value = next.fetch_add(1);
        latency.record_with(value, "value=" + std::to_string(value));
      }
      for (int i = 0; i < 10'000; ++i) requests.add();
    }
  };
  std::thread other(replace);
  replace();
  std::abort();
}

// More than have room in a file.
void make_many_exemplars() {
  static std::vector<std::unique_ptr<Histogram<1, 3>>> histograms;
  for (int i = 0; i < 2100; ++i) {
    histograms.push_back(std::make_unique<Histogram<1, 3>>("many"));
    histograms.back()->record_with(1, "i=" + std::to_string(i));
  }
}

void record_exemplars() {
  latency.record_with(1000, "trace_id=a");
  latency.record_with(10, "trace_id=b");
  latency.record_with(2000, std::string(161, 'x'));
  latency.record_with(2000, "");
}

// Records smaller ones on SIGUSR1, which must be blocked, and ends.
[[noreturn]] void record_exemplars_and_end(const sigset_t& start) {
  int number = 0;
  ::sigwait(&start, &number);
  latency.record_with(10, "trace_id=c");
  latency.record_with(5, "trace_id=d");
  ::_exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  int status = 0;
  sigset_t start{};
  sigemptyset(&start);
  sigaddset(&start, SIGUSR1);
  if (what == "steps" || what == "exemplars") ::sigprocmask(SIG_BLOCK, &start, nullptr);
  if (what == "limited") limit_files(argv);
  if (what == "fills") mount_small(argv);
  if (what == "fills") status = fill();
  if (what == "threads") count_from_threads();
  if (what == "ends") end_instruments();
  if (what == "forks") status = count_in_child();
  if (what == "exits") count_from_threads();
  if (what == "exemplars") record_exemplars();
  if (what == "many_exemplars") make_many_exemplars();
  queue.set(3);
  if (share_path() == nullptr) {
    requests.add(2);
    std::fprintf(stderr, "not shared: %s\n", share_error() == nullptr ? "not enabled" : share_error());
    return requests.value() == 2 ? 0 : 1;
  }
  std::fprintf(stderr, "ready status=%d path=%s\n", status, share_path());
  if (what == "exits" || what == "fills") return status;
  if (what == "steps") record_and_end(start);
  if (what == "exemplars") record_exemplars_and_end(start);
  if (what == "replaces") replace_exemplars();
  // Both halves of the sum are equal unless a reader sees an incomplete add.
  while (what == "adds") requests.add((uint64_t{1} << 32) + 1);
  while (true) ::pause();
}

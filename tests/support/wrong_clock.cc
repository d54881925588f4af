// wrong_clock.so, loaded into a program under test by LD_PRELOAD: shifts the wall clock by the seconds in the
// file named by WRONG_CLOCK, an 8-byte integer that is read on each call. Other clocks are not affected.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

const std::atomic<int64_t>* error_s() {
  static const std::atomic<int64_t>* const mapped = [] {
    static const std::atomic<int64_t> none{0};
    const char* path = std::getenv("WRONG_CLOCK");
    const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return &none;
    void* const page = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return page == MAP_FAILED ? &none : static_cast<const std::atomic<int64_t>*>(page);
  }();
  return mapped;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  using ClockGettime = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int failed = real(clock, time);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += error_s()->load(std::memory_order_relaxed);
  return failed;
}

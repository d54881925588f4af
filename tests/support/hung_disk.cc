// hung_disk.so: for a program under test that LD_PRELOAD gives it, no sync of a file comes back while the
// file named by HUNG_DISK is there.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace {

constexpr useconds_t kPollUs = 1000;

void wait_for_disk() {
  const char* path = std::getenv("HUNG_DISK");
  while (path != nullptr && access(path, F_OK) == 0) usleep(kPollUs);
}

}  // namespace

extern "C" int fdatasync(int fd) {
  static const auto real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fdatasync"));
  wait_for_disk();
  return real(fd);
}

extern "C" int fsync(int fd) {
  static const auto real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fsync"));
  wait_for_disk();
  return real(fd);
}

// hung_disk.so, loaded into a program under test by LD_PRELOAD: no sync of a file returns while the file
// named by HUNG_DISK exists.
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

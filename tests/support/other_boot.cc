// other_boot.so, loaded into a program under test by LD_PRELOAD: the host seems to have booted another time,
// with another kernel. The files of /proc that tell it are read from the directory named by OTHER_BOOT, which
// has them as osrelease, boot_id and uptime.
#include <dlfcn.h>
#include <fcntl.h>

#include <cstdarg>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// The path to open instead; empty: the one that was asked for.
std::string other_path(const char* path) {
  static const char* const directory = std::getenv("OTHER_BOOT");
  if (directory == nullptr || path == nullptr) return {};
  for (const std::string_view file :
       {"/proc/sys/kernel/osrelease", "/proc/sys/kernel/random/boot_id", "/proc/uptime"}) {
    if (path == file) return directory + std::string(file.substr(file.rfind('/')));
  }
  return {};
}

template <class... Mode>
int open_by(const char* name, const char* path, int flags, Mode... mode) {
  const auto real = reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, name));
  const std::string other = other_path(path);
  return real(other.empty() ? path : other.c_str(), flags, mode...);
}

mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_by("open", path, flags, mode);
}

extern "C" int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_by("open64", path, flags, mode);
}

// hung_names.so, loaded into a program by LD_PRELOAD: the look-up of the host's own name, and of hung.test,
// says so on standard error and never returns.
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

#include <cstring>

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  const bool is_own = hints != nullptr && (hints->ai_flags & AI_CANONNAME) != 0;
  if (!is_own && (name == nullptr || std::strcmp(name, "hung.test") != 0))
    return real(name, service, hints, found);
  constexpr char kLine[] = "the look-up hangs\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine, sizeof(kLine) - 1);
  while (true) pause();
}

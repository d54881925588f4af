// hung_names.so, loaded into the agent by LD_PRELOAD: the look-up of the host's own name says so on standard
// error and never returns.
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (hints == nullptr || (hints->ai_flags & AI_CANONNAME) == 0) return real(name, service, hints, found);
  constexpr char kLine[] = "the look-up hangs\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine, sizeof(kLine) - 1);
  while (true) pause();
}

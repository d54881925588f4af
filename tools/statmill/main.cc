// statmill: the command line client of statmilld. Data goes to standard output, messages to standard error.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/out_of_memory.h"
#include "tools/statmill/cli.h"

namespace {

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// Returns false if not all of `data` could be written. Prints no error if
// the reader has closed the pipe (EPIPE).
bool print(const std::string& data) {
  if (std::fwrite(data.data(), 1, data.size(), stdout) == data.size() && std::fflush(stdout) == 0)
    return true;
  if (errno != EPIPE) std::fprintf(stderr, "statmill: cannot write: %s\n", std::strerror(errno));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  statmill::end_when_out_of_memory("statmill");
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const statmill::Outcome outcome = statmill::run_cli(
      arguments,
      {.default_server = environment("STATMILL_URL", "http://127.0.0.1:8112"),
       .default_admin_socket = environment("STATMILL_ADMIN_SOCKET", "/var/lib/statmill/admin.sock"),
       .now = statmill::SystemClock().wall()});
  std::fputs(outcome.messages.c_str(), stderr);
  if (!print(outcome.output)) return static_cast<int>(statmill::ExitStatus::kFailed);
  return static_cast<int>(outcome.code);
}

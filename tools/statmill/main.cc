// statmill: the command line client of statmilld. Data goes to standard output, messages to standard error.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/program.h"
#include "tools/statmill/cli.h"
#include "tools/statmill/terminal/terminal.h"
#include "tools/statmill/zone.h"

namespace {

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

void write_message(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::optional<statmill::Fault> run(std::span<const char* const> arguments) {
  const statmill::Outcome outcome = statmill::run_cli(
      std::vector<std::string>(arguments.begin(), arguments.end()),
      {.default_server = environment("STATMILL_URL", "http://127.0.0.1:8112"),
       .default_admin_socket = environment("STATMILL_ADMIN_SOCKET", "/var/lib/statmill/admin.sock"),
       .now = statmill::SystemClock().wall(),
       .terminal = statmill::terminal_size(STDOUT_FILENO),
       .wants_color = environment("NO_COLOR", "").empty(),
       .zone = statmill::system_zone(),
       .token = environment("STATMILL_TOKEN", ""),
       .authority = environment("STATMILL_AUTHORITY", ""),
       .input = STDIN_FILENO,
       .show_progress =
           ::isatty(STDERR_FILENO) == 1 ? write_message : std::function<void(std::string_view)>()});
  std::fputs(outcome.messages.c_str(), stderr);
  if (auto fault = statmill::print(outcome.output)) return fault;
  if (outcome.code == statmill::ExitCode::kOk) return std::nullopt;
  return statmill::Fault{outcome.code, {}};  // the messages are printed already
}

}  // namespace

int main(int argc, char** argv) { return statmill::run_program("statmill", argc, argv, run); }

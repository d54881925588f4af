#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/run_instead.h"

namespace statmill {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kOpenText =
    "Shows a recording of a host: loads FILE into a server in memory, and prints the address of its page. "
    "All "
    "that a\n"
    "server answers works, at the time of the recording. Ctrl-C ends it, and nothing is left. Needs "
    "statmilld, "
    "next to\n"
    "statmill or in the PATH.";

}  // namespace

Outcome run_open(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "open [OPTION]... FILE",
              .text = kOpenText,
              .operands_min = 1,
              .operands_max = 1,
              .peer = Peer::kNone};
  usage.options.add_options()("http.listen", po::value<std::string>()->value_name("A:P"),
                              "HTTP address; by default a free port of 127.0.0.1");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  // Settings in the environment are those of another server.
  for (char** variable = environ; *variable != nullptr;) {
    const std::string_view text(*variable);
    if (!text.starts_with("STATMILL_")) {
      ++variable;
      continue;
    }
    ::unsetenv(std::string(text.substr(0, text.find('='))).c_str());  // moves the others forward
  }
  std::vector<std::string> server = {"--recording", line.operands()[0], "--log.level", "warn"};
  if (line.has("http.listen")) server.insert(server.end(), {"--http.listen", line.text("http.listen")});
  return run_instead("statmilld", std::move(server), "which is in the package statmill-server");
}

}  // namespace statmill

#include "tools/statmill/cli.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tools/statmill/commands.h"

namespace statmill {
namespace {

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  Outcome (*run)(std::span<const std::string> arguments, const Environment& environment);
};

constexpr std::array<Subcommand, 16> kSubcommands = {{
    {"put", "hand in one sample", run_put},
    {"query", "print series over a range of time", run_query},
    {"ls", "list series by name", run_list},
    {"status", "print what the server says of itself", run_status},
    {"rejects", "print the last lines that the server refused", run_rejects},
    {"cardinality", "print whose series there are most of", run_cardinality},
    {"agents", "print the agents that send, and what is lost of them", run_agents},
    {"forget-agent", "have the server forget one of them", run_forget_agent},
    {"delete", "delete series, or what they have of a range of time", run_delete},
    {"rename", "give series other names", run_rename},
    {"flush", "have the server put what waits in memory into its files", run_flush},
    {"clock", "tell the server that its wall clock is right", run_clock},
    {"check", "tell whether all that is stored can be read", run_check},
    {"backup", "have the server copy its store", run_backup},
    {"verify", "tell whether a backup is whole", run_verify},
    {"restore", "make a data directory of a backup", run_restore},
}};

std::string help() {
  std::string out =
      "Usage: statmill COMMAND [OPTION]... [ARGUMENT]...\nTalks to a statmilld over HTTP.\n\nCommands:\n";
  for (const Subcommand& s : kSubcommands) {
    out.append("  ").append(s.name).append(13 - s.name.size(), ' ').append(s.summary).append("\n");
  }
  out.append(
      "\n`statmill COMMAND --help` tells a command's options. put, query, ls, status, rejects,\n"
      "cardinality and agents take --server URL, or STATMILL_URL from the environment; forget-agent, "
      "delete,\n"
      "rename, flush, clock, check and backup, on the server's own host, --admin.socket PATH, or\n"
      "STATMILL_ADMIN_SOCKET; verify and restore\n"
      "need no server.\n\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage, 4 samples refused, 5 server unreachable, 7 out of "
      "memory.\n");
  return out;
}

// How many of the arguments are options in front of the command's name ("--server URL put ...").
size_t count_leading_options(std::span<const std::string> arguments) {
  size_t i = 0;
  while (i < arguments.size() && arguments[i].starts_with("--") && arguments[i].size() > 2) {
    const bool takes_next =
        arguments[i] == "--server" || arguments[i] == "--admin.socket" || arguments[i] == "--timeout";
    i += takes_next ? 2 : 1;
  }
  return std::min(i, arguments.size());
}

}  // namespace

Outcome run_cli(std::span<const std::string> arguments, const Environment& environment) {
  const size_t leading = count_leading_options(arguments);
  for (const std::string& option : arguments.first(leading)) {
    if (option == "--help") return {.data = help()};
    if (option == "--version") return {.data = "statmill " STATMILL_VERSION "\n"};
  }
  if (leading == arguments.size()) return {.code = ExitStatus::kUsage, .talk = help()};
  const std::string& name = arguments[leading];
  if (name == "-h" || name == "help") return {.data = help()};
  const auto* subcommand = std::find_if(kSubcommands.begin(), kSubcommands.end(),
                                        [&](const Subcommand& s) { return s.name == name; });
  if (subcommand == kSubcommands.end()) {
    return {.code = ExitStatus::kUsage,
            .talk = "statmill: no command \"" + name + "\"; see statmill --help\n"};
  }
  std::vector<std::string> rest(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(leading));
  rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(leading) + 1, arguments.end());
  return subcommand->run(rest, environment);
}

}  // namespace statmill

#include "tools/statmill/cli.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/nearest_word.h"
#include "base/visible.h"
#include "tools/statmill/commands.h"

namespace statmill {
namespace {

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  Outcome (*run)(std::span<const std::string> arguments, const Environment& environment);
};

constexpr std::array<Subcommand, 29> kSubcommands = {{
    {"put", "send samples", run_put},
    {"query", "print series over a range of time", run_query},
    {"graph", "draw series over a range of time", run_graph},
    {"top", "show the hosts, the worst first, and their series", run_top},
    {"ls", "list series by name", run_list},
    {"describe", "print what is known of series", run_describe},
    {"status", "print the server's status", run_status},
    {"doctor", "look at the host and the server, and say what to do", run_doctor},
    {"rejects", "print the lines that the server refused last", run_rejects},
    {"cardinality", "print the number of series by prefix", run_cardinality},
    {"grafana", "write a data source and dashboards for Grafana", run_grafana},
    {"alerts", "print what fires, and how the rules are", run_alerts},
    {"slo", "write the rules that watch a service level objective", run_slo},
    {"import", "send the history in files of other systems", run_import},
    {"export", "write the stored buckets of series to a file", run_export},
    {"record", "record this host into a file, without a server", run_record},
    {"open", "show a recording with the page", run_open},
    {"agents", "print the agents, their lag and their losses", run_agents},
    {"forget-agent", "make the server forget an agent", run_forget_agent},
    {"delete", "delete series or a range of their time", run_delete},
    {"rename", "rename series", run_rename},
    {"profile", "print what the server spends its CPU time on", run_profile},
    {"retention", "print how long series are kept, and what a reload would drop", run_retention},
    {"flush", "make the server write its memory to files", run_flush},
    {"clock", "confirm that the server's wall clock is right", run_clock},
    {"check", "check that all stored data can be read", run_check},
    {"backup", "make the server back up its store", run_backup},
    {"verify", "check that a backup is complete", run_verify},
    {"restore", "create a data directory from a backup", run_restore},
}};

std::string help() {
  std::string out =
      "Usage: statmill COMMAND [OPTION]... [ARGUMENT]...\nThe client of statmilld.\n\nCommands:\n";
  for (const Subcommand& s : kSubcommands) {
    out.append("  ").append(s.name).append(13 - s.name.size(), ' ').append(s.summary).append("\n");
  }
  out.append(R"(
`statmill help COMMAND` prints a command's options, as `statmill COMMAND --help` does. put, query, graph, top, ls, describe, status, doctor,
rejects, cardinality, alerts, agents, import and export use --server URL or the environment's STATMILL_URL. forget-agent, delete,
rename, profile, retention, flush, clock, check and backup run on the server's host and use --admin.socket
PATH or STATMILL_ADMIN_SOCKET. grafana, slo, record, open, verify and restore need no server. STATMILL_TOKEN is
sent to the server of --server; STATMILL_AUTHORITY is the PEM file with the certificates to trust for https,
else the system's.

Exit status: 0 done, 1 failed, 2 wrong usage, 7 out of memory, 8 samples refused,
9 server unreachable or not ready.
)");
  return out;
}

// Returns the number of arguments before the command's name ("--server URL put ...").
size_t count_leading_options(std::span<const std::string> arguments) {
  size_t i = 0;
  while (i < arguments.size() && arguments[i].starts_with("--") && arguments[i].size() > 2) {
    const bool takes_next =
        arguments[i] == "--server" || arguments[i] == "--admin.socket" || arguments[i] == "--timeout";
    i += takes_next ? 2 : 1;
  }
  return std::min(i, arguments.size());
}

Outcome run(std::span<const std::string> arguments, const Environment& environment) {
  const size_t leading = count_leading_options(arguments);
  for (const std::string& option : arguments.first(leading)) {
    if (option == "--help") return {.output = help()};
    if (option == "--version") return {.output = "statmill " STATMILL_VERSION "\n"};
  }
  if (leading == arguments.size()) return {.code = ExitCode::kUsage, .messages = help()};
  const bool asks_for_help = arguments[leading] == "help";
  if (arguments[leading] == "-h" || (asks_for_help && leading + 1 == arguments.size()))
    return {.output = help()};
  const std::string& name = arguments[asks_for_help ? leading + 1 : leading];
  const auto* subcommand = std::find_if(kSubcommands.begin(), kSubcommands.end(),
                                        [&](const Subcommand& s) { return s.name == name; });
  if (subcommand == kSubcommands.end()) {
    std::vector<std::string_view> names;
    names.reserve(kSubcommands.size());
    for (const Subcommand& s : kSubcommands) names.push_back(s.name);
    const std::string meant = did_you_mean(name, names);
    return {.code = ExitCode::kUsage,
            .messages = "statmill: unknown command \"" + name + "\"" +
                        (meant.empty() ? "; see statmill --help" : meant) + "\n"};
  }
  if (asks_for_help) return subcommand->run(std::array{std::string("--help")}, environment);
  std::vector<std::string> rest(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(leading));
  rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(leading) + 1, arguments.end());
  return subcommand->run(rest, environment);
}

}  // namespace

Outcome run_cli(std::span<const std::string> arguments, const Environment& environment) {
  Outcome out = run(arguments, environment);
  // Messages repeat arguments, and what a server has answered.
  out.messages = visible_lines(out.messages);
  return out;
}

}  // namespace statmill

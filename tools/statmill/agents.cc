#include <boost/program_options/value_semantic.hpp>

#include "base/visible.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

constexpr std::string_view kAgentsText =
    "Prints the agents that the server knows, the first 1000 by host. `clock ms` is how far the agent's "
    "clock\n"
    "is ahead, `lag s` the age of its newest durable batch, `trouble` the number of its collectors that are\n"
    "not ok. --format json also has the last gaps, refusals by reason, and the fault of each collector.";

constexpr std::string_view kForgetText =
    "Makes the server forget an agent, given its id or the begin of it. This frees its place and its "
    "secret.\n"
    "If the agent sends batches again that the server may already have, they become a gap. The server "
    "forgets\n"
    "a connected agent only with --force, which closes its connection.";

}  // namespace

Outcome run_agents(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "agents [OPTION]...", .text = kAgentsText, .operands_max = 0};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table or json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  if (*format == Format::kCsv)
    return outcome_of(Error{ErrorCode::kInvalid, "--format csv: agents are a table or json"});
  const Result<HttpAnswer> answer = line.client().get("/api/v1/status/agents");
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  if (*format == Format::kJson) return {.output = json_output(answer->body)};
  const Result<KnownAgents> agents = parse_agents(answer->body);
  if (!agents) return outcome_of(agents.error());
  Outcome out;
  if (!agents->agents.empty()) out.output = agents_table(*agents);
  out.messages = "statmill: " + std::to_string(agents->known) + " known agents, " +
                 std::to_string(agents->connected) + " connected\n";
  return out;
}

Outcome run_forget_agent(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "forget-agent [OPTION]... ID_OR_PREFIX",
              .text = kForgetText,
              .operands_min = 1,
              .operands_max = 1,
              .peer = Peer::kAdmin};
  usage.options.add_options()("force", "even if it is connected");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<HttpAnswer> answer =
      line.client().post("/admin/v1/forget-agent", {},
                         {{"id", line.operands()[0]}, {"force", line.has("force") ? "true" : "false"}});
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<ForgottenAgent> agent = parse_forgotten_agent(answer->body);
  if (!agent) return outcome_of(agent.error());
  return {.output = "forgot agent " + visible(agent->id + " of " + agent->host) + "\n"};
}

}  // namespace statmill

// `statmill agents` and `statmill forget-agent`: who sends through the agent stream, and one of them
// forgotten.
#include <boost/program_options/value_semantic.hpp>

#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

constexpr std::string_view kAgentsText =
    "Prints the agents that the server knows, the first 1000 by host: `clock ms` is how far the agent's is "
    "ahead,\n`lag s` how old its newest durable batch is, TROUBLE how many of its collectors are not ok. "
    "--format json "
    "tells\n"
    "more: the last gaps, the refusals by reason, and what is wrong with each collector.";

constexpr std::string_view kForgetText =
    "Has the server forget an agent, by its id or the beginning of it. What the agent sends again counts as "
    "a "
    "gap\n"
    "if it may be in already, and its place and its secret are free. An agent that is connected is not "
    "forgotten\n"
    "without --force, which ends its connection.";

}  // namespace

Outcome run_agents(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "agents [OPTION]...", .text = kAgentsText, .operands_max = 0};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table or json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return ending(format.error());
  if (*format == Format::kCsv)
    return ending(Error{ErrorCode::kInvalid, "--format csv: agents are a table or json"});
  const Result<HttpAnswer> answer = line.client().get("/api/v1/status/agents");
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  if (*format == Format::kJson) return {.data = answer->body};
  const Result<KnownAgents> agents = parse_agents(answer->body);
  if (!agents) return ending(agents.error());
  Outcome out;
  if (!agents->agents.empty()) out.data = agents_table(*agents);
  out.talk = "statmill: " + std::to_string(agents->known) + " agents are known, " +
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
  if (line.ended_as()) return *line.ended_as();
  const Result<HttpAnswer> answer =
      line.client().post("/admin/v1/forget-agent", {},
                         {{"id", line.operands()[0]}, {"force", line.has("force") ? "true" : "false"}});
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<ForgottenAgent> agent = parse_forgotten_agent(answer->body);
  if (!agent) return ending(agent.error());
  return {.data = "forgot agent " + agent->id + " of " + agent->host + "\n"};
}

}  // namespace statmill

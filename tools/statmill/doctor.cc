#include <algorithm>
#include <boost/program_options/value_semantic.hpp>

#include "base/visible.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/doctor/host_facts.h"
#include "tools/statmill/doctor/server_facts.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kText =
    "Looks at this host (kernel, clock, limits) and at the server (problems, warnings, disk, samples, "
    "agents),\n"
    "and says what to do. The exit status is 1 if it finds a fault, 0 if there are only warnings.";

std::string value_at(const std::vector<std::pair<std::string, std::string>>& pairs, std::string_view key) {
  const auto found =
      std::find_if(pairs.begin(), pairs.end(), [key](const auto& one) { return one.first == key; });
  return found == pairs.end() ? std::string() : found->second;
}

void add(std::vector<Finding>& to, std::vector<Finding> findings) {
  to.insert(to.end(), std::make_move_iterator(findings.begin()), std::make_move_iterator(findings.end()));
}

// Why there is no answer that can be judged.
Finding no_answer(std::string_view why, std::string_view advice) {
  return {Verdict::kFault, "server", std::string(why), std::string(advice)};
}

std::vector<Finding> judge_server(const Client& client, Timestamp now) {
  const Result<HttpAnswer> status = client.get("/api/v1/status");
  if (!status)
    return {no_answer(status.error().message,
                      "is statmilld running (systemctl status statmilld)? --server says where it is")};
  if (status->status != 200)
    return {no_answer(error_text(*status),
                      "with --http.tokens, the environment's STATMILL_TOKEN must have a token")};
  const auto pairs = flatten_object(status->body);
  if (!pairs) return {no_answer(pairs.error().message, "is --server the HTTP port of a statmilld?")};
  std::vector<Finding> out = judge_status(*pairs, now);
  const Result<HttpAnswer> listed = client.get("/api/v1/status/agents");
  const auto agents =
      listed && listed->status == 200
          ? parse_agents(listed->body)
          : Result<KnownAgents>(listed ? Error{ErrorCode::kIo, error_text(*listed)} : Error(listed.error()));
  if (agents) {
    add(out, judge_agents(*agents, value_at(*pairs, "version"), now));
  } else {
    out.push_back({Verdict::kFault, "agents", agents.error().message});
  }
  return out;
}

}  // namespace

Outcome run_doctor(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "doctor [OPTION]...", .text = kText, .operands_max = 0};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table or json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  if (*format == Format::kCsv)
    return outcome_of(Error{ErrorCode::kInvalid, "--format csv: findings are a table or json"});
  std::vector<Finding> findings = judge_host(read_host_facts());
  add(findings, judge_server(line.client(), environment.now));
  for (Finding& finding : findings) {  // they repeat what the server has answered
    finding.subject = visible(finding.subject);
    finding.text = visible(finding.text);
  }
  const bool has_fault = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict == Verdict::kFault;
  });
  return {.code = has_fault ? ExitCode::kFailed : ExitCode::kOk,
          .output = *format == Format::kJson ? findings_json(findings) : findings_text(findings)};
}

}  // namespace statmill

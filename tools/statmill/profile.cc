#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <thread>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/profile/agent_profile.h"
#include "tools/statmill/profile/profile.h"

namespace statmill {
namespace {

constexpr std::string_view kProfileText =
    "Prints which stages of its work, and which threads, the server spends its CPU time on. It measures for "
    "the\n"
    "given time. A stage within another one counts only once; \"other\" is what belongs to no stage, such "
    "as\n"
    "system calls of sockets, and compactions, which are threads of their own. Ctrl-C ends it.\n"
    "With --agent HOST it asks a server (--server URL) what the agent of that host has cost, by collector, "
    "and\n"
    "by eBPF program if that host's kernel measures them (kernel.bpf_stats_enabled = 1).";

constexpr Duration kDurationMin{100};
constexpr Duration kAgentDurationMin = std::chrono::seconds(20);  // it reports every 10 s
constexpr Duration kDurationMax = std::chrono::hours(1);
constexpr Duration kAskInterval =
    std::chrono::seconds(5);  // the server measures for 15 s after each question

Result<ProfileReading> read_profile(const Client& client) {
  const Result<HttpAnswer> answer = client.get("/admin/v1/profile");
  if (!answer) return answer.error();
  if (answer->status != 200) return Error{ErrorCode::kIo, error_text(*answer)};
  return parse_profile(answer->body);
}

Result<Profile> measure(const Client& client, Duration duration) {
  const Result<ProfileReading> first = read_profile(client);
  if (!first) return first.error();
  Result<ProfileReading> last = first;
  for (Duration rest = duration; rest.count() > 0; rest -= kAskInterval) {
    std::this_thread::sleep_for(std::min(rest, kAskInterval));
    last = read_profile(client);
    if (!last) return last.error();
  }
  return profile_between(*first, *last);
}

Result<Profile> agent_profile(const Client& client, const std::string& host, Duration window) {
  const Result<HttpAnswer> answer =
      client.get("/prometheus/api/v1/query", agent_profile_request(host, window));
  if (!answer) return answer.error();
  if (answer->status != 200) return Error{ErrorCode::kIo, error_text(*answer)};
  return parse_agent_profile(answer->body, host, window);
}

std::string text_of(const Profile& profile, Format format) {
  if (format == Format::kJson) return profile_json(profile);
  return format == Format::kCsv ? profile_csv(profile) : profile_table(profile);
}

}  // namespace

Outcome run_profile(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  // The series of an agent may be on another host's server; a server answers only its own host about itself.
  const bool is_agent = std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == "--agent" || argument.starts_with("--agent=");
  });
  Usage usage{.synopsis = "profile [OPTION]...",
              .text = kProfileText,
              .operands_max = 0,
              .peer = is_agent ? Peer::kServer : Peer::kAdmin};
  usage.options.add_options()  //
      ("duration", po::value<std::string>()->value_name("DURATION"),
       "how long to measure, at most 1h; by default 5s, and the last 1m of an agent")  //
      ("agent", po::value<std::string>()->value_name("HOST"),
       "of the agent of this host, by the series that the server has of it")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  const std::string text = line.has("duration") ? line.text("duration") : is_agent ? "1m" : "5s";
  const Result<Duration> duration = parse_duration(text);
  if (!duration) return outcome_of(Error(duration.error()).with("--duration"));
  const Duration least = is_agent ? kAgentDurationMin : kDurationMin;
  if (*duration < least || *duration > kDurationMax)
    return outcome_of(Error{ErrorCode::kInvalid,
                            "--duration " + text + " is not from " + format_duration(least) + " to 1h"});
  const Result<Profile> profile = is_agent ? agent_profile(line.client(), line.text("agent"), *duration)
                                           : measure(line.client(), *duration);
  if (!profile) return outcome_of(profile.error());
  return {.output = text_of(*profile, *format)};
}

}  // namespace statmill

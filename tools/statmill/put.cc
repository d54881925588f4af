// `statmill put`: hands in one sample, by the line protocol over HTTP.
#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kText =
    "Hands in one sample. NAME like servers.web1.load; with a leading * it counts events, with a\n"
    "leading % it is an observation of a distribution, of which percentiles can be asked. TIME is\n"
    "unix seconds or back from now, like -90s; the time of receipt when not given. Samples are refused\n"
    "with exit status 4.";

bool is_one_field(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n\v\f") == std::string_view::npos;
}

// The line to send. Errors: kInvalid when an argument would not stay one field of it.
Result<std::string> line_of(const std::vector<std::string>& operands, Timestamp now) {
  if (!is_one_field(operands[0])) return Error{ErrorCode::kInvalid, "NAME is empty or has white space in it"};
  if (!is_one_field(operands[1]))
    return Error{ErrorCode::kInvalid, "VALUE is empty or has white space in it"};
  if (operands[0].starts_with('#')) return Error{ErrorCode::kInvalid, "NAME cannot start with #"};
  std::string out = operands[0] + " ";
  if (operands.size() == 3) {
    const Result<int64_t> time_s = parse_time(operands[2], now);
    if (!time_s) return Error(time_s.error()).with("TIME");
    out += std::to_string(*time_s) + " ";
  }
  return out + operands[1] + "\n";
}

}  // namespace

Outcome run_put(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line(
      {.synopsis = "put [OPTION]... NAME VALUE [TIME]", .text = kText, .operands_min = 2, .operands_max = 3},
      arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<std::string> body = line_of(line.operands(), environment.now);
  if (!body) return ending(body.error());
  const Result<HttpAnswer> answer = line.client().post("/api/v1/lines", *body);
  if (!answer) return ending(answer.error());
  const Result<LinesOutcome> outcome = parse_lines_outcome(answer->body);
  if (!outcome) return answer->status == 200 ? ending(outcome.error()) : ending(*answer);
  Outcome out;
  for (const auto& [reason, count] : outcome->refused) {
    if (count > 0) out.talk += "statmill: refused: " + reason + "\n";
  }
  if (!out.talk.empty() || outcome->accepted == 0) out.code = ExitStatus::kRefused;
  if (out.talk.empty() && outcome->accepted == 0) out.talk = "statmill: the server took no sample\n";
  return out;
}

}  // namespace statmill

#include "base/text.h"
#include "proto/canonical_name.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kPutText =
    "Sends one sample. NAME is like servers.web1.load; a leading * counts events, a leading % is for a\n"
    "distribution, which has percentiles. TIME is as in -90s, 14:30, \"2026-11-20 14:30\" or\n"
    "unix seconds; without it, it is the time of receipt. If the server refuses the sample, the exit status "
    "is 8.";

bool is_one_field(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n\v\f") == std::string_view::npos;
}

// Returns the line to send. Errors: kInvalid if an argument is not a single field.
Result<std::string> line_of(const CommandLine& line) {
  const std::vector<std::string>& operands = line.operands();
  if (operands[0].empty()) return Error{ErrorCode::kInvalid, "NAME is empty"};
  if (!is_one_field(operands[1])) return Error{ErrorCode::kInvalid, "VALUE is empty or contains white space"};
  if (operands[0].starts_with('#')) return Error{ErrorCode::kInvalid, "NAME cannot start with #"};
  std::string out = with_blanks_escaped(operands[0]) + " ";
  if (operands.size() == 3) {
    const Result<int64_t> time_s = line.time(operands[2]);
    if (!time_s) return Error(time_s.error()).with("TIME");
    out += std::to_string(*time_s) + " ";
  }
  return out + operands[1] + "\n";
}

}  // namespace

Outcome run_put(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "put [OPTION]... NAME VALUE [TIME]",
                          .text = kPutText,
                          .operands_min = 2,
                          .operands_max = 3,
                          .has_times = true},
                         arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<std::string> body = line_of(line);
  if (!body) return outcome_of(body.error());
  const Result<HttpAnswer> answer = line.client().post("/api/v1/lines", *body);
  if (!answer) return outcome_of(answer.error());
  const Result<LinesOutcome> outcome = parse_lines_outcome(answer->body);
  if (!outcome) return answer->status == 200 ? outcome_of(outcome.error()) : outcome_of(*answer);
  Outcome out;
  for (const auto& [reason, count] : outcome->refused) {
    if (count > 0) out.messages += "statmill: refused: " + reason + "\n";
  }
  if (!out.messages.empty() || outcome->accepted == 0) out.code = ExitCode::kRefused;
  if (out.messages.empty() && outcome->accepted == 0)
    out.messages = "statmill: the server accepted no sample\n";
  return out;
}

}  // namespace statmill

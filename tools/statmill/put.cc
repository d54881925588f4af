#include <map>

#include "base/text.h"
#include "proto/canonical_name.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/line_pieces.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kPutText =
    "Sends one sample, or with - the lines of standard input (proto/PROTOCOL.md), each at most a second "
    "after\n"
    "it came. NAME is like servers.web1.load; a leading * counts events, a leading % is for a distribution,\n"
    "which has percentiles. TIME is as in -90s, 14:30, \"2026-11-20 14:30\" or unix seconds; without it, it "
    "is\n"
    "the time of receipt. If the server refuses samples, the exit status is 8; it accepts the others.";

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

Outcome put_sample(const CommandLine& line) {
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

// The answers to all pieces together.
struct Sum {
  uint64_t accepted = 0;
  std::map<std::string, uint64_t> refused;  // by reason

  void add(const LinesOutcome& outcome) {
    accepted += outcome.accepted;
    for (const auto& [reason, count] : outcome.refused) {
      if (count > 0) refused[reason] += count;
    }
  }
  // Returns a line for each reason, or an empty text if nothing was refused.
  std::string text() const {
    std::string out;
    for (const auto& [reason, count] : refused)
      out += "statmill: refused " + std::to_string(count) + ": " + reason + "\n";
    return out;
  }
};

Outcome put_lines(const CommandLine& line, int input) {
  LinePieces pieces(input);
  Sum sum;
  // Says what has become of the lines before `failed`.
  const auto fail = [&sum](Outcome failed, uint64_t first_line, std::string_view what) {
    failed.messages += "statmill: line " + std::to_string(first_line) + " and later ones " +
                       std::string(what) + "; before, the server accepted " + std::to_string(sum.accepted) +
                       " samples\n" + sum.text();
    return failed;
  };
  while (true) {
    const Result<LinePieces::Piece> piece = pieces.next();
    if (!piece) return fail(outcome_of(piece.error()), pieces.next_line(), "were not sent");
    if (piece->text.empty()) break;
    const Result<HttpAnswer> answer = line.client().post("/api/v1/lines", piece->text);
    if (!answer) return fail(outcome_of(answer.error()), piece->first_line, "may not have arrived");
    const Result<LinesOutcome> outcome = parse_lines_outcome(answer->body);
    if (!outcome) {
      return fail(answer->status == 200 ? outcome_of(outcome.error()) : outcome_of(*answer),
                  piece->first_line, "were not accepted");
    }
    sum.add(*outcome);
  }
  return {.code = sum.refused.empty() ? ExitCode::kOk : ExitCode::kRefused, .messages = sum.text()};
}

}  // namespace

Outcome run_put(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "put [OPTION]... NAME VALUE [TIME] | -",
                          .text = kPutText,
                          .operands_min = 1,
                          .operands_max = 3,
                          .has_times = true},
                         arguments, environment);
  if (line.outcome()) return *line.outcome();
  if (line.operands().size() > 1) return put_sample(line);
  if (line.operands()[0] == "-") return put_lines(line, environment.input);
  return outcome_of(
      Error{ErrorCode::kInvalid, "too few arguments: put NAME VALUE, or put - for standard input"});
}

}  // namespace statmill

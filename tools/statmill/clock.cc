#include <algorithm>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kClockText =
    "Confirms that the server's wall clock is right. After a step of the clock, or a stop of more than a "
    "day,\n"
    "the server expires data by the time that it has run, not by the clock. This makes it use the clock at\n"
    "once: data past its retention is deleted for good.";

}  // namespace

Outcome run_clock(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "clock [OPTION]... confirm",
              .text = kClockText,
              .operands_min = 1,
              .operands_max = 1,
              .peer = Peer::kAdmin};
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  if (line.operands()[0] != "confirm")
    return outcome_of(Error{ErrorCode::kInvalid, "\"" + line.operands()[0] + "\" is not \"confirm\""});
  const Result<HttpAnswer> answer = line.client().post("/admin/v1/clock/confirm", {});
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<uint64_t> ahead_s = parse_count(answer->body, "ahead_s");
  const Result<uint64_t> behind_s = parse_count(answer->body, "behind_s");
  if (!ahead_s || !behind_s) return outcome_of(ahead_s ? behind_s.error() : ahead_s.error());
  const std::string by = format_duration(std::chrono::seconds(std::max(*ahead_s, *behind_s)));
  return {.output = "retention now uses the wall clock, which was " + by +
                    (*behind_s > 0 ? " behind\n" : " ahead\n")};
}

}  // namespace statmill

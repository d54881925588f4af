// `statmill clock confirm`: tells the server that its wall clock is right.
#include <algorithm>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kText =
    "Tells the server that its wall clock is right. After a step of the clock, or a stop of more than a "
    "day,\n"
    "the server lets data expire by the time that passes, and not by the clock. This makes it go by the\n"
    "clock at once: what is past its retention by the clock goes for good.";

}  // namespace

Outcome run_clock(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "clock [OPTION]... confirm",
              .text = kText,
              .operands_min = 1,
              .operands_max = 1,
              .peer = Peer::kAdmin};
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  if (line.operands()[0] != "confirm")
    return ending(Error{ErrorCode::kInvalid, "\"" + line.operands()[0] + "\" is not confirm"});
  const Result<HttpAnswer> answer = line.client().post("/admin/v1/clock/confirm", {});
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<uint64_t> ahead_s = parse_count(answer->body, "ahead_s");
  const Result<uint64_t> behind_s = parse_count(answer->body, "behind_s");
  if (!ahead_s || !behind_s) return ending(ahead_s ? behind_s.error() : ahead_s.error());
  const std::string by = format_duration(std::chrono::seconds(std::max(*ahead_s, *behind_s)));
  return {.data = "retention goes by the wall clock, which was " + by +
                  (*behind_s > 0 ? " behind\n" : " ahead\n")};
}

}  // namespace statmill

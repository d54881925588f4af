// `statmill flush`: has the server put what waits in memory into its files.
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kText =
    "Has the server put every bucket that waits in memory into its files, and prints how many bytes the "
    "data\n"
    "directory had before and has after. Samples are taken and queries answered meanwhile.";

}  // namespace

Outcome run_flush(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "flush [OPTION]...", .text = kText, .operands_max = 0, .peer = Peer::kAdmin};
  usage.options.add_options()  //
      ("compact",
       "and merge all files, as far as they ever will be: takes as long as writing everything anew");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<HttpAnswer> answer =
      line.client().post("/admin/v1/flush", {}, {{"compact", line.has("compact") ? "true" : "false"}});
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<uint64_t> before = parse_count(answer->body, "bytes_before");
  const Result<uint64_t> after = parse_count(answer->body, "bytes_after");
  if (!before || !after) return ending(before ? after.error() : before.error());
  return {.data =
              "before " + std::to_string(*before) + " bytes\nafter  " + std::to_string(*after) + " bytes\n"};
}

}  // namespace statmill

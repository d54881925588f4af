#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/progress.h"

namespace statmill {
namespace {

constexpr std::string_view kFlushText =
    "Makes the server write all buckets in memory to its files. Prints the size of the data directory "
    "before\n"
    "and after. Meanwhile the server accepts samples and answers queries.";

}  // namespace

Outcome run_flush(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "flush [OPTION]...", .text = kFlushText, .operands_max = 0, .peer = Peer::kAdmin};
  usage.options.add_options()  //
      ("compact", "also compact all files to their final form; takes as long as rewriting all data");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<HttpAnswer> answer = [&] {
    const ProgressLine progress(environment, "flush", job_of_server(line.client()));
    return line.client().post("/admin/v1/flush", {}, {{"compact", line.has("compact") ? "true" : "false"}});
  }();
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<uint64_t> before = parse_count(answer->body, "bytes_before");
  const Result<uint64_t> after = parse_count(answer->body, "bytes_after");
  if (!before || !after) return outcome_of(before ? after.error() : before.error());
  return {.output =
              "before " + std::to_string(*before) + " bytes\nafter  " + std::to_string(*after) + " bytes\n"};
}

}  // namespace statmill

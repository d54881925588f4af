#include "storage/rocks/scrub.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/progress.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

constexpr std::string_view kCheckText =
    "Reads all stored data: files against their checksums, every row, and every frame to its last bucket.\n"
    "Prints what it found and one line per fault; if there is any, the exit status is 3. Without DIR, the\n"
    "running server checks its store as of now while it continues to work. With DIR, this process checks a\n"
    "data directory or a backup and changes nothing. If a server has the data directory open, let the "
    "server\n"
    "check it.";

Result<ScrubReport> ask_server(const Client& client, const Environment& environment) {
  const ProgressLine progress(environment, "check", job_of_server(client));
  const Result<HttpAnswer> answer = client.post("/admin/v1/check", {});
  if (!answer) return answer.error();
  if (answer->status != 200) return Error{ErrorCode::kIo, error_text(*answer)};
  return parse_scrub_report(answer->body);
}

}  // namespace

Outcome run_check(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line(
      {.synopsis = "check [OPTION]... [DIR]", .text = kCheckText, .operands_max = 1, .peer = Peer::kAdmin},
      arguments, environment);
  if (line.outcome()) return *line.outcome();
  const bool is_live = line.operands().empty();
  const Result<ScrubReport> report = is_live ? ask_server(line.client(), environment)
                                             : with_progress(environment, "check", [&](LongJob& job) {
                                                 return scrub_directory(line.operands()[0], job);
                                               });
  if (!report) return is_live ? outcome_of(report.error()) : data_outcome(report.error());
  Outcome out{.output = scrub_table(*report)};
  if (report->fault_count == 0) return out;
  out.code = ExitCode::kDamaged;
  out.messages = "statmill: " + std::to_string(report->fault_count) + " faults";
  if (report->fault_count > report->faults.size())
    out.messages += ", the first " + std::to_string(report->faults.size()) + " are listed";
  out.messages += "\n";
  return out;
}

}  // namespace statmill

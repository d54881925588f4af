// `statmill check`: tells whether all that is stored can be read, in a running server or in a directory.
#include "storage/rocks/scrub.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

constexpr std::string_view kText =
    "Reads all that is stored: files against their checksums, every row, every frame to its last bucket. "
    "Prints\n"
    "what is there, and a line for each fault; exit status 0 when there is none. Without DIR the running "
    "server\n"
    "does it, as of now, beside its work; with DIR this process, in a data directory or a backup, where it\n"
    "changes nothing. A data directory that a server has open is better checked by the server.";

Result<ScrubReport> ask_server(const Client& client) {
  const Result<HttpAnswer> answer = client.post("/admin/v1/check", {});
  if (!answer) return answer.error();
  if (answer->status != 200) return Error{ErrorCode::kIo, server_complaint(*answer)};
  return parse_scrub_report(answer->body);
}

}  // namespace

Outcome run_check(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line(
      {.synopsis = "check [OPTION]... [DIR]", .text = kText, .operands_max = 1, .peer = Peer::kAdmin},
      arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const bool is_live = line.operands().empty();
  const Result<ScrubReport> report =
      is_live ? ask_server(line.client()) : scrub_directory(line.operands()[0]);
  if (!report && is_live) return ending(report.error());
  if (!report) return {.code = ExitStatus::kFailed, .talk = "statmill: " + report.error().message + "\n"};
  Outcome out{.data = scrub_table(*report)};
  if (report->fault_count == 0) return out;
  out.code = ExitStatus::kFailed;
  out.talk = "statmill: " + std::to_string(report->fault_count) + " faults";
  if (report->fault_count > report->faults.size())
    out.talk += ", the first " + std::to_string(report->faults.size()) + " are told";
  out.talk += "\n";
  return out;
}

}  // namespace statmill

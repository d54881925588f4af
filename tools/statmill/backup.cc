// `statmill backup`, `verify` and `restore`: a copy of a server's store, whether it is whole, and back.
#include <filesystem>

#include "storage/files/backup.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kBackupText =
    "Has the server copy its store, as it is now, to DIR on its own host, which must not exist or be empty.\n"
    "Samples are taken and queries answered meanwhile. Everything that is durable when the command begins "
    "is\n"
    "in the backup.";

constexpr std::string_view kVerifyText =
    "Reads all of a backup and compares it with its manifest. Says what is wrong, a line for each file; "
    "exit\n"
    "status 0 when nothing is. Needs no server.";

constexpr std::string_view kRestoreText =
    "Makes a data directory of a backup. Every file is checked while it is copied. DATA_DIR must not exist "
    "or\n"
    "be empty. Needs no server.";

std::string summary_text(std::string_view what, const BackupSummary& summary, std::string_view verdict = {}) {
  return std::string(what) + ": " + std::to_string(summary.files) + " files, " +
         std::to_string(summary.bytes) + " bytes" + std::string(verdict) + "\n";
}

// How a command about files ends: nothing in it is about the command line.
Outcome failed(Error error, const std::string& directory) {
  return {.code = ExitStatus::kFailed,
          .talk = "statmill: " + std::move(error).with(directory).message + "\n"};
}

}  // namespace

Outcome run_backup(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "backup [OPTION]... DIR",
                          .text = kBackupText,
                          .operands_min = 1,
                          .operands_max = 1,
                          .peer = Peer::kAdmin},
                         arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const std::string directory = std::filesystem::absolute(line.operands()[0]).lexically_normal();
  const Result<HttpAnswer> answer = line.client().post("/admin/v1/backup", {}, {{"directory", directory}});
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<uint64_t> files = parse_count(answer->body, "files");
  const Result<uint64_t> bytes = parse_count(answer->body, "bytes");
  if (!files || !bytes) return ending(files ? bytes.error() : files.error());
  return {.data = summary_text(directory, {*files, *bytes})};
}

Outcome run_verify(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "verify DIR",
                          .text = kVerifyText,
                          .operands_min = 1,
                          .operands_max = 1,
                          .peer = Peer::kNobody},
                         arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const std::string& directory = line.operands()[0];
  const Result<BackupReport> report = verify_backup(directory);
  if (!report) return failed(report.error(), directory);
  if (report->faults.empty())
    return {.data = summary_text(directory, report->summary, ", as the manifest says")};
  Outcome out;
  for (const BackupFault& fault : report->faults) out.data += fault.file + ": " + fault.what + "\n";
  out.code = ExitStatus::kFailed;
  out.talk = "statmill: " + directory + ": " + std::to_string(report->faults.size()) + " faults\n";
  return out;
}

Outcome run_restore(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "restore DIR DATA_DIR",
                          .text = kRestoreText,
                          .operands_min = 2,
                          .operands_max = 2,
                          .peer = Peer::kNobody},
                         arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<BackupSummary> restored = restore_backup(line.operands()[0], line.operands()[1]);
  if (!restored) return failed(restored.error(), line.operands()[0]);
  return {.data = summary_text(line.operands()[1], *restored)};
}

}  // namespace statmill

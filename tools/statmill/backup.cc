#include <filesystem>

#include "base/visible.h"
#include "storage/files/backup.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/progress.h"

namespace statmill {
namespace {

constexpr std::string_view kBackupText =
    "Makes the server copy its store to DIR on the server's host. DIR must be empty or not exist. The "
    "backup\n"
    "contains everything that is durable when the command begins. Meanwhile the server accepts samples and\n"
    "answers queries.";

constexpr std::string_view kVerifyText =
    "Reads a whole backup and compares it with its manifest. Prints one line per fault; the exit status is "
    "0\n"
    "if there is none. Needs no server.";

constexpr std::string_view kRestoreText =
    "Creates a data directory from a backup and verifies every file while copying it. DATA_DIR must be "
    "empty\n"
    "or not exist. Needs no server.";

std::string summary_text(std::string_view what, const BackupSummary& summary, std::string_view verdict = {}) {
  return visible(what) + ": " + std::to_string(summary.files) + " files, " + std::to_string(summary.bytes) +
         " bytes" + std::string(verdict) + "\n";
}

// The outcome of a failed command on files. Its exit status is never kUsage.
Outcome failed(Error error, const std::string& directory) {
  return {.code = ExitCode::kFailed,
          .messages = "statmill: " + std::move(error).with(directory).message + "\n"};
}

}  // namespace

Outcome run_backup(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "backup [OPTION]... DIR",
                          .text = kBackupText,
                          .operands_min = 1,
                          .operands_max = 1,
                          .peer = Peer::kAdmin},
                         arguments, environment);
  if (line.outcome()) return *line.outcome();
  const std::string directory = std::filesystem::absolute(line.operands()[0]).lexically_normal();
  const Result<HttpAnswer> answer = [&] {
    const ProgressLine progress(environment, "backup", job_of_server(line.client()));
    return line.client().post("/admin/v1/backup", {}, {{"directory", directory}});
  }();
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<uint64_t> files = parse_count(answer->body, "files");
  const Result<uint64_t> bytes = parse_count(answer->body, "bytes");
  if (!files || !bytes) return outcome_of(files ? bytes.error() : files.error());
  return {.output = summary_text(directory, {*files, *bytes})};
}

Outcome run_verify(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "verify DIR",
                          .text = kVerifyText,
                          .operands_min = 1,
                          .operands_max = 1,
                          .peer = Peer::kNone},
                         arguments, environment);
  if (line.outcome()) return *line.outcome();
  const std::string& directory = line.operands()[0];
  const Result<BackupReport> report =
      with_progress(environment, "verify", [&](LongJob& job) { return verify_backup(directory, job); });
  if (!report) return failed(report.error(), directory);
  if (report->faults.empty())
    return {.output = summary_text(directory, report->summary, ", all as in the manifest")};
  Outcome out;
  for (const BackupFault& fault : report->faults)
    out.output += visible(fault.file + ": " + fault.what) + "\n";
  out.code = ExitCode::kFailed;
  out.messages = "statmill: " + directory + ": " + std::to_string(report->faults.size()) + " faults\n";
  return out;
}

Outcome run_restore(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line({.synopsis = "restore DIR DATA_DIR",
                          .text = kRestoreText,
                          .operands_min = 2,
                          .operands_max = 2,
                          .peer = Peer::kNone},
                         arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<BackupSummary> restored = with_progress(environment, "restore", [&](LongJob& job) {
    return restore_backup(line.operands()[0], line.operands()[1], job);
  });
  if (!restored) return failed(restored.error(), line.operands()[0]);
  return {.output = summary_text(line.operands()[1], *restored)};
}

}  // namespace statmill

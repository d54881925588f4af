#include <chrono>
#include <stop_token>
#include <utility>

#include "base/visible.h"
#include "storage/files/backup.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/progress.h"
#include "tools/statmill/snapshot_copy.h"

namespace statmill {
namespace {

constexpr std::string_view kBackupText =
    "Copies the store of a running server to DIR, which must be empty or not exist, or with - as a tar "
    "archive to\n"
    "standard output. The backup contains everything that is durable when the command begins. Meanwhile the "
    "server\n"
    "accepts samples and answers queries. With --server it copies from another host; that takes a token with "
    "the\n"
    "role admin (STATMILL_TOKEN).";

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

Outcome stream_backup(const Client& client, const Environment& environment, const std::stop_token& stop) {
  if (environment.terminal)
    return outcome_of(
        Error{ErrorCode::kInvalid, "a terminal cannot take a tar archive: redirect standard output"});
  auto snapshot = ServerSnapshot::make(client, stop);
  if (!snapshot) return outcome_of(snapshot.error());
  const int64_t now_s = std::chrono::floor<std::chrono::seconds>(environment.now).time_since_epoch().count();
  const Status done = with_progress(environment, "backup", stop, [&](LongJob& job) {
    return write_tar(*snapshot, {environment.output, now_s}, job);
  });
  return done ? Outcome{} : failed(done.error(), "standard output");
}

// The directory is made before the server is asked, which may take long.
Outcome copy_backup(const Client& client, const std::string& to, const Earlier& earlier,
                    const Environment& environment, const std::stop_token& stop) {
  auto writer = BackupWriter::make(to);
  if (!writer) return failed(writer.error(), to);
  auto snapshot = ServerSnapshot::make(client, stop);
  if (!snapshot) return outcome_of(snapshot.error());
  writer->set_format(snapshot->format());
  const Result<Copied> copied = with_progress(environment, "backup", stop, [&](LongJob& job) {
    return copy_snapshot(*snapshot, *std::move(writer), earlier, job);
  });
  if (!copied) return failed(copied.error(), to);
  const std::string shared =
      ", " + std::to_string(copied->shared) + " files as in " + visible(earlier.directory);
  return {.output = summary_text(to, copied->summary, earlier.directory.empty() ? "" : shared)};
}

}  // namespace

Outcome run_backup(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "backup [OPTION]... DIR|-",
              .text = kBackupText,
              .operands_min = 1,
              .operands_max = 1,
              .peer = Peer::kAdminOrServer};
  usage.options.add_options()  //
      ("since", boost::program_options::value<std::string>()->value_name("DIR"),
       "an earlier backup: files that have not changed become links to its files");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const std::string& to = line.operands()[0];
  const std::string since = line.has("since") ? line.text("since") : std::string();
  if (to == "-" && !since.empty())
    return outcome_of(Error{ErrorCode::kInvalid, "a tar archive cannot have links to --since DIR"});
  const Interruption interruption;
  if (to == "-") return stream_backup(line.client(), environment, interruption.token());
  const auto earlier = read_earlier(since);
  if (!earlier) return outcome_of(earlier.error());
  return copy_backup(line.client(), to, *earlier, environment, interruption.token());
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

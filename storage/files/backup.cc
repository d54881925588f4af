#include "storage/files/backup.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "storage/files/data_directory.h"
#include "storage/files/directory_draft.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator i(directory, error), end; !error && i != end; i.increment(error))
    names.push_back(i->path().filename());
  if (error) return Error{ErrorCode::kIo, "list " + directory + ": " + error.message()};
  std::sort(names.begin(), names.end());
  return names;
}

// Returns what differs, or an empty string.
std::string difference(const FileSum& have, const FileSum& want) {
  if (have.bytes != want.bytes)
    return "has " + std::to_string(have.bytes) + " bytes instead of " + std::to_string(want.bytes);
  return have.crc32c == want.crc32c ? "" : "wrong checksum";
}

BackupSummary summary_of(const BackupManifest& manifest) { return {manifest.files.size(), manifest.bytes()}; }

// Reports files that are not in the manifest: the database would read them.
Status find_unknown_files(const std::string& directory, const BackupManifest& manifest,
                          std::vector<BackupFault>& faults) {
  std::set<std::string> known;
  for (const BackupManifest::File& file : manifest.files) known.insert(file.name);
  const auto names = names_in(database_path(directory));
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!known.contains(name)) faults.push_back({"db/" + name, "is not in the manifest"});
  }
  return Status::ok();
}

}  // namespace

Result<BackupWriter> BackupWriter::make(const std::string& directory) {
  auto draft = DirectoryDraft::make(directory, kBackupManifest);
  if (!draft) return draft.error();
  return BackupWriter(*std::move(draft));
}

Status BackupWriter::add(const std::string& name, const std::function<Result<std::string>()>& next,
                         LongJob& job) {
  if (!is_backup_file_name(name)) return Error{ErrorCode::kInvalid, "\"" + name + "\" is no name of a file"};
  const auto sum = write_pieces(fs::path(draft_.database()) / name, next, job);
  if (!sum) return sum.error();
  manifest_.files.push_back({name, *sum});
  return Status::ok();
}

Result<bool> BackupWriter::add_from(const std::string& other, const BackupManifest::File& file,
                                    LongJob& job) {
  const fs::path from = fs::path(database_path(other)) / file.name;
  const fs::path to = fs::path(draft_.database()) / file.name;
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(from, error))) return false;
  LongJob unseen([&job] { return job.is_cancelled(); });  // it counts once
  const auto sum = sum_file(from, unseen);
  if (!sum && sum.error().code == ErrorCode::kUnavailable) return sum.error();
  if (!sum || !(*sum == file.sum)) return false;
  fs::create_hard_link(from, to, error);
  if (error) {
    const auto copied = copy_file(from, to, unseen);
    if (!copied) return copied.error();
    if (!(*copied == file.sum)) return Error{ErrorCode::kIo, from.string() + " changes"};
  }
  manifest_.files.push_back(file);
  job.add(file.sum.bytes);
  return true;
}

Result<BackupSummary> BackupWriter::finish() {
  if (Status checked = check_manifest(manifest_); !checked) return checked.error();
  if (Status done = draft_.finish(manifest_.text()); !done) return done.error();
  return summary_of(manifest_);
}

Result<BackupReport> verify_backup(const std::string& directory, LongJob& job) {
  const auto manifest = read_backup_manifest(directory);
  if (!manifest) return manifest.error();
  BackupReport report{summary_of(*manifest), {}};
  job.expect(report.summary.bytes);
  for (const BackupManifest::File& file : manifest->files) {
    const auto sum = sum_file(fs::path(database_path(directory)) / file.name, job);
    if (!sum && job.is_cancelled()) return sum.error();
    const std::string fault = sum ? difference(*sum, file.sum) : sum.error().message;
    if (!fault.empty()) report.faults.push_back({"db/" + file.name, fault});
  }
  if (Status found = find_unknown_files(directory, *manifest, report.faults); !found)
    report.faults.push_back({"db", found.error().message});
  return report;
}

Result<BackupSummary> restore_backup(const std::string& directory, const std::string& target, LongJob& job) {
  const auto manifest = read_backup_manifest(directory);
  if (!manifest) return manifest.error();
  if (auto tiers = tiers_of_format(manifest->format); !tiers) return tiers.error();
  auto draft = DirectoryDraft::make(target, kFormatFile);
  if (!draft) return draft.error();
  job.expect(manifest->bytes());
  for (const BackupManifest::File& file : manifest->files) {
    const auto sum = copy_file(fs::path(database_path(directory)) / file.name,
                               fs::path(database_path(target)) / file.name, job);
    if (!sum) return sum.error();
    const std::string fault = difference(*sum, file.sum);
    if (!fault.empty()) return Error{ErrorCode::kCorrupt, "db/" + file.name + ": " + fault};
  }
  if (Status done = draft->finish(manifest->format); !done) return done.error();
  return summary_of(*manifest);
}

}  // namespace statmill

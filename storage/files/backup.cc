#include "storage/files/backup.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "storage/files/backup_manifest.h"
#include "storage/files/data_directory.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

// A directory under construction, which is removed again unless its last file gets written.
class Draft {
 public:
  // Creates `directory` and the db/ in it. Errors: kInvalid if it is not empty, kIo.
  static Result<Draft> make(const std::string& directory, std::string_view last_file) {
    const Result<bool> is_free = is_missing_or_empty(directory);
    if (!is_free) return is_free.error();
    if (!*is_free) return Error{ErrorCode::kInvalid, directory + " exists and is not empty"};
    const Result<bool> is_new = create_data_directory(directory);
    if (!is_new) return is_new.error();
    std::error_code error;
    fs::create_directory(database_path(directory), error);
    if (error) return Error{ErrorCode::kIo, "create " + directory + ": " + error.message()};
    return Draft(directory, fs::path(directory) / last_file, *is_new);
  }
  Draft(Draft&& other) noexcept
      : directory_(std::exchange(other.directory_, {})),
        last_file_(std::move(other.last_file_)),
        is_new_(other.is_new_) {}
  Draft& operator=(Draft&&) = delete;
  ~Draft() {
    if (directory_.empty()) return;
    std::error_code ignored;  // what cannot be removed stays, without its last file
    fs::remove(last_file_, ignored);
    fs::remove_all(database_path(directory_), ignored);
    fs::remove(unfinished_file(last_file_), ignored);
    if (is_new_) fs::remove(directory_, ignored);
  }

  // Makes all files durable, then writes the last one.
  Status finish(std::string_view text) {
    const fs::path parent = fs::path(directory_) / "..";
    for (const fs::path& path : {fs::path(database_path(directory_)), fs::path(directory_), parent}) {
      if (Status synced = sync_path(path); !synced) return synced;
    }
    if (Status written = write_whole_file(last_file_, text); !written) return written;
    if (Status synced = sync_path(directory_); !synced) return synced;
    directory_.clear();
    return Status::ok();
  }

 private:
  Draft(std::string directory, fs::path last_file, bool is_new)
      : directory_(std::move(directory)), last_file_(std::move(last_file)), is_new_(is_new) {}

  std::string directory_;  // empty if finished or moved from
  fs::path last_file_;
  bool is_new_ = false;
};

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

Result<BackupSummary> write_backup(const std::string& database, const std::string& format,
                                   const std::string& directory, LongJob& job) {
  auto draft = Draft::make(directory, kBackupManifest);
  if (!draft) return draft.error();
  const auto names = names_in(database);
  if (!names) return names.error();
  BackupManifest manifest;
  manifest.format = format;
  job.expect(directory_bytes(database));
  for (const std::string& name : *names) {
    const auto sum = copy_file(fs::path(database) / name, fs::path(database_path(directory)) / name, job);
    if (!sum) return sum.error();
    manifest.files.push_back({name, *sum});
  }
  if (Status done = draft->finish(manifest.text()); !done) return done.error();
  return summary_of(manifest);
}

Result<BackupReport> verify_backup(const std::string& directory, LongJob& job) {
  const auto manifest = read_backup_manifest(directory);
  if (!manifest) return manifest.error();
  BackupReport report{summary_of(*manifest), {}};
  job.expect(report.summary.bytes);
  for (const BackupManifest::File& file : manifest->files) {
    const auto sum = sum_file(fs::path(database_path(directory)) / file.name, job);
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
  auto draft = Draft::make(target, kFormatFile);
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

#include "storage/rocks/scrub_rows.h"

#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace statmill {
namespace {

constexpr size_t kReadaheadBytes = size_t{2} << 20;
constexpr uint64_t kRowsPerCheck = 1024;  // between two checks for cancellation

Error given_up() { return {ErrorCode::kUnavailable, "the check was cancelled"}; }

// The keys at which reading can resume after a file that cannot be read.
std::set<std::string, std::less<>> file_ends(RocksDatabase& database, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData files;
  database.db().GetColumnFamilyMetaData(family, &files);
  std::set<std::string, std::less<>> keys;
  for (const rocksdb::LevelMetaData& level : files.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      keys.insert(file.smallestkey);
      keys.insert(file.largestkey);
    }
  }
  return keys;
}

// Adds to a job what is read of a family: in all exactly the bytes of its files, of which the rows have more
// or less.
class FamilyProgress {
 public:
  FamilyProgress(LongJob& job, uint64_t bytes) : job_(job), left_(bytes) {}
  ~FamilyProgress() { job_.add(left_); }
  FamilyProgress(const FamilyProgress&) = delete;
  FamilyProgress& operator=(const FamilyProgress&) = delete;
  void add(uint64_t bytes) {
    const uint64_t counted = std::min(bytes, left_);
    left_ -= counted;
    job_.add(counted);
  }

 private:
  LongJob& job_;
  uint64_t left_;
};

rocksdb::Options file_options(RocksDatabase& database) {
  rocksdb::Options options;
  options.env = database.db().GetEnv();
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::Status check_file(const rocksdb::Options& options, const rocksdb::LiveFileMetaData& file) {
  rocksdb::SstFileReader reader(options);
  if (rocksdb::Status opened = reader.Open(file.db_path + file.name); !opened.ok()) return opened;
  rocksdb::ReadOptions reading;
  reading.readahead_size = kReadaheadBytes;
  return reader.VerifyChecksum(reading);
}

// A file that a compaction has replaced meanwhile is not a fault.
bool is_live(RocksDatabase& database, const std::string& name) {
  std::vector<rocksdb::LiveFileMetaData> files;
  database.db().GetLiveFilesMetaData(&files);
  return std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.name == name; });
}

}  // namespace

Status scrub_rows(RocksDatabase& database, const ScrubRange& range, LongJob& job, ScrubReport& report,
                  const std::function<void(std::string_view key, std::string_view value)>& visit) {
  rocksdb::ReadOptions options;
  options.snapshot = range.snapshot;
  options.readahead_size = kReadaheadBytes;
  options.fill_cache = false;
  std::string from = range.first;
  std::string fault;
  uint64_t rows = 0;
  FamilyProgress progress(job, database.file_bytes(range.family));
  while (true) {
    const std::unique_ptr<rocksdb::Iterator> row(database.db().NewIterator(options, range.family));
    for (row->Seek(from); row->Valid(); row->Next()) {
      if (rows++ % kRowsPerCheck == 0 && job.is_cancelled()) return given_up();
      from.assign(row->key().data(), row->key().size());
      progress.add(row->key().size() + row->value().size());
      visit(row->key().ToStringView(), row->value().ToStringView());
    }
    if (row->status().ok()) return Status::ok();
    const std::string what = error_of(row->status()).message;
    if (what != fault) report.add_fault(range.family->GetName(), what);
    fault = what;
    const auto keys = file_ends(database, range.family);
    const auto next = keys.upper_bound(from);
    if (next == keys.end()) return Status::ok();
    from = *next;
  }
}

Status scrub_files(RocksDatabase& database, LongJob& job, ScrubReport& report) {
  const rocksdb::Options options = file_options(database);
  std::vector<rocksdb::LiveFileMetaData> files;
  database.db().GetLiveFilesMetaData(&files);
  for (const rocksdb::LiveFileMetaData& file : files) job.expect(2 * file.size);
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (job.is_cancelled()) return given_up();
    const rocksdb::Status status = check_file(options, file);
    job.add(file.size);
    if (!status.ok() && !is_live(database, file.name)) continue;
    ++report.files;
    report.file_bytes += file.size;
    if (!status.ok()) {
      report.add_fault(file.column_family_name + " file " + file.name.substr(1), error_of(status).message);
    }
  }
  return Status::ok();
}

}  // namespace statmill

#include "tools/statmill-bench/bench_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "storage/files/data_directory.h"
#include "storage/rocks/rocks_database.h"
#include "tools/statmill-bench/system_error.h"

namespace statmill {
namespace {

Status status_of(const rocksdb::Status& status) {
  return status.ok() ? Status::ok() : Status(error_of(status));
}

Status drop_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(ErrorCode::kIo, path.string());
  ::fdatasync(fd);  // dirty pages would stay in the cache
  const int error = ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
  if (error != 0) return system_error(ErrorCode::kIo, path.string(), error);
  return Status::ok();
}

}  // namespace

Result<BenchStore> BenchStore::open(const std::filesystem::path& directory, const Tiers& tiers,
                                    uint64_t block_cache_bytes) {
  RocksOptions options;
  options.path = directory.string();
  options.block_cache_bytes = block_cache_bytes;
  options.sync = false;
  options.expiry = std::make_shared<Expiry>();
  options.counters = std::make_shared<StoreCounters>();
  const Result<std::string> path = prepare_data_directory(options.path, tiers);
  if (!path) return path.error();
  auto database = RocksDatabase::open(*path, options, tiers);
  if (!database) return database.error();
  RocksDatabase& borrowed = **database;
  return BenchStore(
      *path, borrowed,
      std::make_unique<RocksStore>(options, tiers, *path, RocksStore::Opened{std::move(*database), 0, {}}));
}

std::vector<rocksdb::ColumnFamilyHandle*> BenchStore::families() const {
  std::vector<rocksdb::ColumnFamilyHandle*> out = {database_.meta(), database_.series(), database_.journal()};
  for (TierNo t = 0; t < store_->tiers().count(); ++t) out.push_back(database_.tier(t));
  return out;
}

void BenchStore::wait_until_idle() {
  constexpr std::chrono::milliseconds kPollInterval{5};
  using Properties = rocksdb::DB::Properties;
  const auto is_busy = [&] {
    for (rocksdb::ColumnFamilyHandle* family : families()) {
      for (const std::string& property :
           {Properties::kMemTableFlushPending, Properties::kNumRunningFlushes, Properties::kCompactionPending,
            Properties::kNumRunningCompactions}) {
        uint64_t n = 0;
        if (database_.db().GetIntProperty(family, property, &n) && n != 0) return true;
      }
    }
    return false;
  };
  while (is_busy()) std::this_thread::sleep_for(kPollInterval);  // RocksDB 7.8 has no event for it
}

Status BenchStore::settle() {
  const rocksdb::Status flushed = database_.db().Flush(rocksdb::FlushOptions(), families());
  wait_until_idle();
  return status_of(flushed);
}

Status BenchStore::compact(TierNo tier) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  const rocksdb::Status status = database_.db().CompactRange(options, database_.tier(tier), nullptr, nullptr);
  wait_until_idle();
  return status_of(status);
}

uint64_t BenchStore::tier_bytes(TierNo tier) {
  uint64_t bytes = 0;
  database_.db().GetIntProperty(database_.tier(tier), rocksdb::DB::Properties::kLiveSstFilesSize, &bytes);
  return bytes;
}

Status BenchStore::drop_page_cache() const {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(path_, error)) {
    if (file.path().extension() != ".sst") continue;
    if (Status dropped = drop_file(file.path()); !dropped) return dropped;
  }
  return error ? Status(Error{ErrorCode::kIo, path_.string() + ": " + error.message()}) : Status::ok();
}

}  // namespace statmill

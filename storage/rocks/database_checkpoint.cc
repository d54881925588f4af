#include "storage/rocks/database_checkpoint.h"

#include <rocksdb/utilities/checkpoint.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "storage/rocks/rocks_database.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDirectory = "checkpoint";
constexpr const char* kUnfinished = ".tmp";  // RocksDB's suffix for an unfinished one

void remove(const std::string& path) {
  std::error_code ignored;  // if it stays, making the next one fails and says so
  fs::remove_all(path, ignored);
  fs::remove_all(path + kUnfinished, ignored);
}

}  // namespace

Result<DatabaseCheckpoint> DatabaseCheckpoint::make(RocksDatabase& database,
                                                    const std::string& data_directory) {
  DatabaseCheckpoint checkpoint((fs::path(data_directory) / kDirectory).string());
  remove(checkpoint.path_);
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(&database.db(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> owner(made);
  if (status.ok()) status = made->CreateCheckpoint(checkpoint.path_);
  if (!status.ok()) return error_of(status).with("make a checkpoint");
  return checkpoint;
}

void DatabaseCheckpoint::remove_leftovers(const std::string& data_directory) {
  remove((fs::path(data_directory) / kDirectory).string());
}

DatabaseCheckpoint::DatabaseCheckpoint(DatabaseCheckpoint&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

DatabaseCheckpoint::~DatabaseCheckpoint() {
  if (!path_.empty()) remove(path_);
}

}  // namespace statmill

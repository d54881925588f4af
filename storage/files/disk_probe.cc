#include "storage/files/disk_probe.h"

#include <memory>

namespace statmill {
namespace {

constexpr const char* kProbeName = "/probe";  // RocksDB has no files of such a name

rocksdb::IOStatus write_probe(rocksdb::FileSystem& file_system, const std::string& path) {
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status = file_system.NewWritableFile(path, {}, &file, nullptr);
  if (status.ok()) status = file->Append(std::string(kProbeBytes, '\0'), options, nullptr);
  if (status.ok()) status = file->Fsync(options, nullptr);
  if (status.ok()) status = file->Close(options, nullptr);
  return status;
}

rocksdb::IOStatus sync_directory(rocksdb::FileSystem& file_system, const std::string& path) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status = file_system.NewDirectory(path, {}, &directory, nullptr);
  return status.ok() ? directory->Fsync({}, nullptr) : status;
}

}  // namespace

Status probe_disk(rocksdb::FileSystem& file_system, const std::string& directory) {
  const std::string path = directory + kProbeName;
  rocksdb::IOStatus status = write_probe(file_system, path);
  if (status.ok()) status = sync_directory(file_system, directory);
  const rocksdb::IOStatus removed = file_system.DeleteFile(path, {}, nullptr);
  if (status.ok()) status = removed;
  return status.ok() ? Status::ok() : Status(Error{ErrorCode::kIo, "probe: " + status.ToString()});
}

}  // namespace statmill

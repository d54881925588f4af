// FaultFileSystem: RocksDB's files on a FaultyDisk. Calls that the disk allows go to the real file system,
// but syncs do nothing: the FaultyDisk keeps track of what is durable.
//
// Locks, listings and RocksDB's own text log bypass it.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

#include "tests/fault/faulty_disk.h"

namespace statmill {

// Thread-safe.
class FaultFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultFileSystem(std::shared_ptr<FaultyDisk> disk)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(std::move(disk)) {}

  const char* Name() const override { return "statmill.FaultFileSystem"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* out,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* out,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* out,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* out,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* out,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  const std::shared_ptr<FaultyDisk> disk_;
};

}  // namespace statmill

#include "tests/fault/fault_file_system.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace statmill {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// Returns the status that RocksDB's own file system returns.
IOStatus status_of(int error, const std::string& path) {
  if (error == 0) return IOStatus::OK();
  const std::string why = std::generic_category().message(error);
  if (error == ENOENT) return IOStatus::PathNotFound(path, why);
  if (error != ENOSPC) return IOStatus::IOError(path, why);
  IOStatus full = IOStatus::NoSpace(path, why);
  full.SetRetryable(true);
  return full;
}

std::filesystem::path normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal();
}

class SequentialFile final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  SequentialFile(std::unique_ptr<FSSequentialFile> file, std::shared_ptr<FaultyDisk> disk)
      : FSSequentialFileOwnerWrapper(std::move(file)), disk_(std::move(disk)) {}

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    if (const int error = disk_->read(); error != 0) return status_of(error, "read");
    return target()->Read(n, options, result, scratch, debug);
  }

 private:
  const std::shared_ptr<FaultyDisk> disk_;
};

class RandomAccessFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  RandomAccessFile(std::unique_ptr<FSRandomAccessFile> file, std::shared_ptr<FaultyDisk> disk)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), disk_(std::move(disk)) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    if (const int error = disk_->read(); error != 0) return status_of(error, "read");
    return target()->Read(offset, n, options, result, scratch, debug);
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    for (size_t i = 0; i < count; ++i) {
      rocksdb::FSReadRequest& r = requests[i];
      r.status = Read(r.offset, r.len, options, &r.result, r.scratch, debug);
    }
    return IOStatus::OK();
  }

 private:
  const std::shared_ptr<FaultyDisk> disk_;
};

class WritableFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WritableFile(std::unique_ptr<FSWritableFile> file, std::filesystem::path path,
               std::shared_ptr<FaultyDisk> disk)
      : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), disk_(std::move(disk)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const FaultyDisk::Appended room = disk_->append(path_, data.size());
    if (room.bytes > 0) {
      IOStatus written = target()->Append(Slice(data.data(), room.bytes), options, debug);
      if (!written.ok()) return written;
    }
    return status_of(room.error, path_);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    if (const int error = disk_->truncate(path_, size); error != 0) return status_of(error, path_);
    return target()->Truncate(size, options, debug);
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return status_of(disk_->sync(path_), path_); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return status_of(disk_->sync(path_), path_); }
  // Only a hint to begin writing.
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }

 private:
  const std::filesystem::path path_;
  const std::shared_ptr<FaultyDisk> disk_;
};

class Directory final : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(std::unique_ptr<FSDirectory> directory, std::filesystem::path path,
            std::shared_ptr<FaultyDisk> disk)
      : FSDirectoryWrapper(std::move(directory)), path_(std::move(path)), disk_(std::move(disk)) {}

  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return status_of(disk_->sync_directory(path_), path_);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions&) override {
    return Fsync(options, debug);
  }

 private:
  const std::filesystem::path path_;
  const std::shared_ptr<FaultyDisk> disk_;
};

}  // namespace

IOStatus FaultFileSystem::NewSequentialFile(const std::string& path, const FileOptions& options,
                                            std::unique_ptr<rocksdb::FSSequentialFile>* out,
                                            IODebugContext* debug) {
  if (const int error = disk_->open(); error != 0) return status_of(error, path);
  IOStatus status = target()->NewSequentialFile(path, options, out, debug);
  if (status.ok()) *out = std::make_unique<SequentialFile>(std::move(*out), disk_);
  return status;
}

IOStatus FaultFileSystem::NewRandomAccessFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<rocksdb::FSRandomAccessFile>* out,
                                              IODebugContext* debug) {
  if (const int error = disk_->open(); error != 0) return status_of(error, path);
  IOStatus status = target()->NewRandomAccessFile(path, options, out, debug);
  if (status.ok()) *out = std::make_unique<RandomAccessFile>(std::move(*out), disk_);
  return status;
}

IOStatus FaultFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* out,
                                          IODebugContext* debug) {
  if (const int error = disk_->create(normal(path)); error != 0) return status_of(error, path);
  IOStatus status = target()->NewWritableFile(path, options, out, debug);
  if (status.ok()) *out = std::make_unique<WritableFile>(std::move(*out), normal(path), disk_);
  return status;
}

IOStatus FaultFileSystem::ReopenWritableFile(const std::string& path, const FileOptions& options,
                                             std::unique_ptr<rocksdb::FSWritableFile>* out,
                                             IODebugContext* debug) {
  if (const int error = disk_->open(DiskOp::kCreate); error != 0) return status_of(error, path);
  IOStatus status = target()->ReopenWritableFile(path, options, out, debug);
  if (status.ok()) *out = std::make_unique<WritableFile>(std::move(*out), normal(path), disk_);
  return status;
}

IOStatus FaultFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                       std::unique_ptr<rocksdb::FSDirectory>* out, IODebugContext* debug) {
  if (const int error = disk_->open(); error != 0) return status_of(error, path);
  IOStatus status = target()->NewDirectory(path, options, out, debug);
  if (status.ok()) *out = std::make_unique<Directory>(std::move(*out), normal(path), disk_);
  return status;
}

IOStatus FaultFileSystem::RenameFile(const std::string& from, const std::string& to, const IOOptions&,
                                     IODebugContext*) {
  return status_of(disk_->rename(normal(from), normal(to)), from);
}

IOStatus FaultFileSystem::DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) {
  return status_of(disk_->unlink(normal(path)), path);
}

}  // namespace statmill

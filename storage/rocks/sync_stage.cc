#include "storage/rocks/sync_stage.h"

#include <string>
#include <utility>

#include "base/stage.h"

namespace statmill {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

using FilePtr = std::unique_ptr<rocksdb::FSWritableFile>;

class StagedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const InStage stage(Stage::kSync);
    return FSWritableFileOwnerWrapper::Sync(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const InStage stage(Stage::kSync);
    return FSWritableFileOwnerWrapper::Fsync(options, debug);
  }
};

class StagedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "StagedFileSystem"; }
  IOStatus NewWritableFile(const std::string& name, const FileOptions& options, FilePtr* out,
                           IODebugContext* debug) override {
    return staged(FileSystemWrapper::NewWritableFile(name, options, out, debug), out);
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options, FilePtr* out,
                              IODebugContext* debug) override {
    return staged(FileSystemWrapper::ReopenWritableFile(name, options, out, debug), out);
  }
  IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name, const FileOptions& options,
                             FilePtr* out, IODebugContext* debug) override {
    return staged(FileSystemWrapper::ReuseWritableFile(name, old_name, options, out, debug), out);
  }

 private:
  static IOStatus staged(IOStatus status, FilePtr* out) {
    if (status.ok()) *out = std::make_unique<StagedFile>(std::move(*out));
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> with_sync_stage(const std::shared_ptr<rocksdb::FileSystem>& target) {
  return std::make_shared<StagedFileSystem>(target);
}

}  // namespace statmill

// DiskDirectory: a spool's files on disk, in a directory that one agent has for itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/spool/spool_directory.h"
#include "base/descriptor.h"

namespace statmill {

class DiskDirectory final : public SpoolDirectory {
 public:
  // Makes the directory (mode 0700) unless it is there, in one that is, and locks it as long as this lives.
  // Errors: kBusy (another process has it), kIo.
  static Result<std::unique_ptr<DiskDirectory>> open(const std::string& path);

  // Where the directory is, as text that differs in a copy of it: the machine's id, and the inode and birth
  // of the file `lock`. Not the number of the device: for some file systems that changes with every start.
  // What a machine does not have is left out.
  Result<std::string> place() const;

  Result<std::vector<std::string>> list() override;
  Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) override;
  Result<uint64_t> size(const std::string& name) override;
  Result<std::unique_ptr<SpoolFile>> open_end(const std::string& name) override;
  Status rewrite(const std::string& name, std::string_view contents) override;
  Status remove(const std::string& name) override;
  Status replace(const std::string& name, std::string_view contents) override;
  Status sync() override;

 private:
  DiskDirectory(std::string path, Descriptor directory, Descriptor lock)
      : path_(std::move(path)), directory_(std::move(directory)), lock_(std::move(lock)) {}

  Status remove_unfinished();
  Status write_whole(const std::string& name, std::string_view contents);

  const std::string path_;
  const Descriptor directory_;
  const Descriptor lock_;
};

}  // namespace statmill

// DiskDirectory: the files of a spool on disk, in a directory that only one agent uses.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/spool/location.h"
#include "agent/spool/spool_directory.h"
#include "base/descriptor.h"

namespace statmill {

class DiskDirectory final : public SpoolDirectory {
 public:
  // Creates the directory with mode 0700 if it does not exist (its parent must exist), and locks it until
  // destroyed. Errors: kBusy (another process holds the lock), kIo.
  static Result<std::unique_ptr<DiskDirectory>> open(const std::string& path);

  // Returns where the directory is: the machine, and the inode and birth time of the file `lock`. The device
  // number is not used, because some file systems change it at each boot. `root` is that of machine_facts().
  Result<SpoolLocation> location(const std::string& root = {}) const;

  Result<std::vector<std::string>> list() override;
  Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) override;
  Result<uint64_t> size(const std::string& name) override;
  Result<std::unique_ptr<SpoolFile>> open_for_append(const std::string& name) override;
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

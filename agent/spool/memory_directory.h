// MemoryDirectory: a spool's files in memory, for an agent that has no directory: the same spool, gone with
// the process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/spool/spool_directory.h"

namespace statmill {

// Takes as much memory as its files have bytes, and a piece (64 KiB) for each file.
class MemoryDirectory final : public SpoolDirectory {
 public:
  Result<std::vector<std::string>> list() override;
  Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) override;
  Result<uint64_t> size(const std::string& name) override;
  Result<std::unique_ptr<SpoolFile>> open_end(const std::string& name) override;
  Status rewrite(const std::string& name, std::string_view contents) override;
  Status remove(const std::string& name) override;
  Status replace(const std::string& name, std::string_view contents) override;
  Status sync() override { return Status::ok(); }

  // In pieces: one string that grows would hold up to twice its bytes.
  struct Contents {
    std::vector<std::string> pieces;  // all but the last are full
    uint64_t size = 0;
  };

 private:
  std::map<std::string, Contents, std::less<>> files_;
};

}  // namespace statmill

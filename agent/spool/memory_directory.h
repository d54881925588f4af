// MemoryDirectory: the files of a spool in memory, for an agent without a spool directory. They are lost when
// the process ends.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/spool/spool_directory.h"

namespace statmill {

// Uses as much memory as the files have bytes, plus up to 64 KiB per file.
class MemoryDirectory final : public SpoolDirectory {
 public:
  Result<std::vector<std::string>> list() override;
  Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) override;
  Result<uint64_t> size(const std::string& name) override;
  Result<std::unique_ptr<SpoolFile>> open_for_append(const std::string& name) override;
  Status rewrite(const std::string& name, std::string_view contents) override;
  Status remove(const std::string& name) override;
  Status replace(const std::string& name, std::string_view contents) override;
  Status sync() override { return Status::ok(); }

  // Stored in pieces: a single growing string would reserve up to twice its size.
  struct Contents {
    std::vector<std::string> pieces;  // all but the last are full
    uint64_t size = 0;
  };

 private:
  std::map<std::string, Contents, std::less<>> files_;
};

}  // namespace statmill

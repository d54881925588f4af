// FaultySpoolDirectory: a spool directory in memory that can lose power and fail like a disk.
//
// A power cut loses unsynced bytes from any position on, or turns them into zeros; each unsynced directory
// entry is as before or as after the change. After a failed sync, later syncs of the file succeed but save
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "agent/spool/spool_directory.h"

namespace statmill {

enum class SpoolCall : uint8_t {
  kList,
  kRead,
  kSize,
  kOpenForAppend,
  kAppend,
  kSyncFile,
  kRemove,
  kReplace,
  kRewrite,
  kSync
};

// Not thread-safe. Outlives the spools that use it: a new spool after power_cut() is a start after a power
// cut. Without power_cut() it is a start after a kill: nothing is lost, and unsynced data is still unsynced.
class FaultySpoolDirectory final : public SpoolDirectory {
 public:
  explicit FaultySpoolDirectory(uint64_t seed) : random_(seed) {}

  // Called before each operation; if it returns true, the operation fails. A failed append or replace may
  // have been done in part, a failed sync completely or not at all.
  std::function<bool(SpoolCall)> fails = [](SpoolCall) { return false; };

  void power_cut();

  // The number of operations so far.
  uint64_t calls() const { return calls_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  std::vector<std::string> names() const;
  uint64_t bytes() const;
  // For inspection or damage. Requires: has(name).
  std::string& contents(const std::string& name);
  // Creates a durable file.
  void put(const std::string& name, std::string contents);
  // Returns another directory with the same files, all durable.
  std::unique_ptr<FaultySpoolDirectory> copy(uint64_t seed) const;

  Result<std::vector<std::string>> list() override;
  Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) override;
  Result<uint64_t> size(const std::string& name) override;
  Result<std::unique_ptr<SpoolFile>> open_for_append(const std::string& name) override;
  Status rewrite(const std::string& name, std::string_view contents) override;
  Status remove(const std::string& name) override;
  Status replace(const std::string& name, std::string_view contents) override;
  Status sync() override;

 private:
  friend class FaultySpoolFile;

  struct Inode {
    std::string bytes;
    size_t synced = 0;        // the number of synced bytes
    bool has_failed = false;  // a sync has failed: nothing will be saved any more
  };
  using Entries = std::map<std::string, uint64_t>;  // name -> inode

  bool meets_fault(SpoolCall call);
  uint64_t any_below(uint64_t limit);
  Status append(uint64_t inode, std::string_view bytes);
  Status sync_inode(uint64_t inode);
  Inode* find(const std::string& name);

  std::mt19937_64 random_;
  uint64_t calls_ = 0;
  uint64_t next_inode_ = 1;
  std::map<uint64_t, Inode> inodes_;
  Entries entries_;          // as the process sees them
  Entries durable_entries_;  // as a power cut leaves them at least
};

}  // namespace statmill

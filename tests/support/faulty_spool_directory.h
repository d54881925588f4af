// FaultySpoolDirectory: a spool's directory in memory that loses power and fails, as a disk may.
//
// What was not synced is lost at a power cut from any byte on, or turns to zeros; entries that were not
// synced are as before or as after, each for itself. After a failed sync a later one succeeds and saves
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
  kOpenEnd,
  kAppend,
  kSyncFile,
  kRemove,
  kReplace,
  kRewrite,
  kSync
};

// Confined to one thread. Outlives the spools over it: a new one after power_cut() is a start after the cut.
// One without it is a start after a kill: nothing is lost, and what was not synced still is not.
class FaultySpoolDirectory final : public SpoolDirectory {
 public:
  explicit FaultySpoolDirectory(uint64_t seed) : random_(seed) {}

  // Asked before each call; true: it fails. A failed append or replace may have done a part, a failed sync
  // all or nothing of it.
  std::function<bool(SpoolCall)> fails = [](SpoolCall) { return false; };

  void power_cut();

  // Of all calls so far.
  uint64_t calls() const { return calls_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  std::vector<std::string> names() const;
  uint64_t bytes() const;
  // To look at, or to damage. Requires: has(name).
  std::string& contents(const std::string& name);
  // Puts a file there, durably.
  void put(const std::string& name, std::string contents);
  // Another directory with the same files, all durable.
  std::unique_ptr<FaultySpoolDirectory> copy(uint64_t seed) const;

  Result<std::vector<std::string>> list() override;
  Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) override;
  Result<uint64_t> size(const std::string& name) override;
  Result<std::unique_ptr<SpoolFile>> open_end(const std::string& name) override;
  Status rewrite(const std::string& name, std::string_view contents) override;
  Status remove(const std::string& name) override;
  Status replace(const std::string& name, std::string_view contents) override;
  Status sync() override;

 private:
  friend class FaultySpoolFile;

  struct Inode {
    std::string bytes;
    size_t synced = 0;        // of bytes
    bool has_failed = false;  // a sync of it: nothing will be saved any more
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
  Entries durable_entries_;  // as a power cut leaves them, at least
};

}  // namespace statmill

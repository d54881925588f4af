// FaultyDisk: a disk that fails on demand: the n-th call of a kind, all calls, no space left,
// read-only, slow, hanging, or a power cut.
//
// The data is in real files: code that does I/O asks the disk first and gets the error to fail with. For the
// power cut it remembers what is durable: of each file the bytes that a sync covered, of each directory the
// creations, renames and unlinks that a sync of the directory covered. restore_power() takes the real files
// back to that, and a random part of the rest survives, as on real disks. After a failed sync, the bytes it
// covered never become durable, whatever later syncs return, as on Linux.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace statmill {

enum class DiskOp { kCreate, kOpen, kAppend, kSync, kSyncDirectory, kRename, kUnlink, kRead };
inline constexpr size_t kDiskOpCount = 8;
std::string name_of(DiskOp op);

struct DiskFault {
  DiskOp op = DiskOp::kAppend;
  uint64_t nth = 1;       // the first call to fail, counted from now
  bool for_ever = false;  // and all that follow, until heal()
  int error = 5;          // an errno: EIO
};

// Thread-safe. Errors are errno values; 0 means success.
class FaultyDisk {
 public:
  // `scratch` is an existing directory on the same file system, for unlinked files that may come back.
  explicit FaultyDisk(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}

  // These set what goes wrong from now on.
  void fail(const DiskFault& fault);
  void make_read_only();                   // EROFS for every call that writes
  void limit_space(uint64_t bytes);        // `bytes` are free; unlinks free more
  void slow_down(DiskOp op, Duration by);  // every call of the kind takes longer by this
  // From the n-th call of the kind on, counted from now, no call of any kind returns before release().
  void hang(DiskOp op, uint64_t nth = 1);
  void release();
  void heal();  // ends all of the above
  // Waits until a call hangs. Returns false if none does before release() or within kHangTimeout.
  static constexpr std::chrono::seconds kHangTimeout{30};
  bool wait_for_hang();
  // Then waits until a call of the thread hangs, too. Returns false as above, or if the thread makes no call
  // within kThreadTimeout after the first hang: it may be waiting for a thread that hangs.
  static constexpr std::chrono::seconds kThreadTimeout{3};
  bool wait_for_hang(std::thread::id thread);
  // Cuts the power at the n-th call that writes, counted from now; or at once.
  void cut_power_at(uint64_t nth);
  void cut_power();
  // Restores the files to what was durable. Requires: no file is open.
  void restore_power(std::mt19937_64& random);

  bool has_power() const;
  uint64_t calls(DiskOp op) const;  // since construction
  uint64_t failures() const;        // calls that failed since construction

  // The calls. rename() and unlink() are done here, since they may have to be undone.
  int create(const std::filesystem::path& path);
  int open(DiskOp op = DiskOp::kOpen);
  int read();
  struct Appended {
    uint64_t bytes = 0;  // written bytes, even with an error: a full disk writes what fits
    int error = 0;
  };
  Appended append(const std::filesystem::path& path, uint64_t bytes);
  int truncate(const std::filesystem::path& path, uint64_t bytes);
  int sync(const std::filesystem::path& path);
  int sync_directory(const std::filesystem::path& path);
  int rename(const std::filesystem::path& from, const std::filesystem::path& to);
  int unlink(const std::filesystem::path& path);

 private:
  struct File {
    uint64_t size = 0;
    uint64_t durable = 0;
    bool lost = false;  // a sync failed: nothing more becomes durable
  };
  // A change of a directory that is not durable yet.
  struct Change {
    DiskOp op = DiskOp::kCreate;
    std::filesystem::path path;
    std::filesystem::path to;     // of a rename
    std::filesystem::path saved;  // a copy of the file that the rename or unlink removed, or empty
    std::optional<File> file;     // its entry in files_, if any
  };

  int begin(DiskOp op) REQUIRES(mutex_);
  void wait(DiskOp op) REQUIRES(mutex_);
  using IsHanging = std::function<bool(const std::multiset<std::thread::id>&)>;
  bool wait_for_hang(const IsHanging& is_met, std::chrono::seconds timeout);
  File& known(const std::filesystem::path& path) REQUIRES(mutex_);
  std::filesystem::path save(const std::filesystem::path& path) REQUIRES(mutex_);
  void undo(const Change& change) REQUIRES(mutex_);

  const std::filesystem::path scratch_;
  mutable Mutex mutex_;
  std::vector<DiskFault> faults_ GUARDED_BY(mutex_);
  std::optional<uint64_t> space_ GUARDED_BY(mutex_);
  std::array<Duration, kDiskOpCount> delays_ GUARDED_BY(mutex_){};
  std::optional<std::pair<DiskOp, uint64_t>> next_hang_
      GUARDED_BY(mutex_);  // the calls of the kind until then
  bool is_hung_ GUARDED_BY(mutex_) = false;
  std::multiset<std::thread::id> hanging_ GUARDED_BY(mutex_);  // whose calls wait for release()
  Condition hang_changed_;
  std::optional<uint64_t> calls_to_cut_ GUARDED_BY(mutex_);
  bool powered_ GUARDED_BY(mutex_) = true;
  std::array<uint64_t, kDiskOpCount> calls_ GUARDED_BY(mutex_){};
  uint64_t failures_ GUARDED_BY(mutex_) = 0;
  uint64_t saved_ GUARDED_BY(mutex_) = 0;
  // Files that are not in this map are durable as they are.
  std::map<std::filesystem::path, File> files_ GUARDED_BY(mutex_);
  std::vector<Change> changes_ GUARDED_BY(mutex_);  // in order
};

}  // namespace statmill

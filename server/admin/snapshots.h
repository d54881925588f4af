// Snapshots: the files of the store at one moment, which clients copy piece by piece: backups leave the host
// so.
//
// A client makes a snapshot, reads its files in pieces or compares their checksums with a copy that it has,
// and releases it. There is one at a time, since it keeps the disk space of files that the store has
// replaced. One whose client has gone is released after kIdleMax, and any one after kAgeMax.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/long_job.h"
#include "base/mutex.h"
#include "base/result.h"
#include "storage/rocks/rocks_store.h"

namespace statmill {

// Thread-safe. Errors of all functions with an id: kNotFound if there is no such snapshot (any more).
class Snapshots {
 public:
  static constexpr uint64_t kPieceBytesMax = uint64_t{4} << 20;
  static constexpr uint64_t kSummedBytesMax = uint64_t{64}
                                              << 20;  // by one request: it takes some 0.1 s of CPU
  static constexpr Duration kIdleMax = std::chrono::minutes(10);  // a slow network needs long for a piece
  static constexpr Duration kAgeMax = std::chrono::hours(24);

  // All must outlive it.
  struct Services {
    RocksStore& store;
    const Clock& clock;
    Log& log;
    // Makes everything durable that the server has accepted so far.
    std::function<Status()> write_accepted;
  };
  explicit Snapshots(Services services) : services_(std::move(services)) {}

  struct File {
    std::string name;
    uint64_t bytes = 0;
  };
  struct Made {
    std::string id;
    std::string format;       // content of the store's file FORMAT
    std::vector<File> files;  // by name
  };
  // The snapshot has everything that the server had accepted before the call. If that cannot be made durable,
  // it has what is durable, and the log says so. Errors: kBusy while there is another; those of
  // RocksStore::files(). Cost: a tick.
  Result<Made> make();

  // A part of a file.
  struct Range {
    std::string_view id;
    std::string_view file;
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };
  // Returns the bytes; fewer only at the end of the file. Errors: kInvalid for more than kPieceBytesMax,
  // kNotFound, kIo.
  Result<std::string> read(const Range& range);
  // Returns how many bytes there are, and their CRC-32C that continues `crc32c`. Errors: kInvalid for more
  // than kSummedBytesMax, kNotFound, kIo.
  Result<FileSum> sum(const Range& range, uint32_t crc32c);
  Status release(std::string_view id);

  // Releases the snapshot if its client has gone. Removes its files, which takes long if they are large and
  // the store has replaced them. Call it about once a second.
  void release_idle();
  // How far the client is; nullopt if there is no snapshot.
  std::optional<LongJob::Progress> progress() const;

 private:
  struct Snapshot;

  Error busy() const REQUIRES(mutex_);
  Result<std::shared_ptr<Snapshot>> list();
  // Checks the range and returns its snapshot.
  Result<std::shared_ptr<Snapshot>> find(const Range& range, uint64_t bytes_max);
  void note_use(uint64_t bytes);

  const Services services_;
  mutable Mutex mutex_;
  bool is_making_ GUARDED_BY(mutex_) = false;
  std::weak_ptr<const bool> files_ GUARDED_BY(mutex_);     // expired: no files of a snapshot are left
  std::shared_ptr<Snapshot> snapshot_ GUARDED_BY(mutex_);  // null: none
  SteadyTime made_at_ GUARDED_BY(mutex_){};
  SteadyTime used_at_ GUARDED_BY(mutex_){};
  uint64_t done_bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t total_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace statmill

// SpaceReader: asks filesystems for their space in a thread of its own, since statfs() of a filesystem whose
// server is away does not return, and no signal ends it.
//
// One thread asks one filesystem after the other. If a call takes longer than kPatience, another thread goes
// on with the rest, and the first one ends when its call returns. Until then that filesystem is not asked
// again, so each holds at most one thread.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// What statfs() tells, in blocks of `block_bytes`.
struct FilesystemSpace {
  uint64_t block_bytes = 0;
  uint64_t blocks = 0;  // 0: it has no space of its own, as the filesystems of the kernel
  uint64_t blocks_free = 0;
  uint64_t blocks_available = 0;  // to users without privileges
  uint64_t inodes = 0;            // 0: it does not count them
  uint64_t inodes_free = 0;
};

// Where a filesystem is mounted, and the st_dev of what is there.
struct MountPlace {
  std::string path;
  uint64_t device_number = 0;

  auto operator<=>(const MountPlace&) const = default;
};

// Asks the kernel. Errors: kNotFound if another filesystem hides it, or it is gone; otherwise kIo, with the
// path. Needs the right to search the directories of the path. May not return.
Result<FilesystemSpace> read_space(const MountPlace& place);

// Confined to one thread; the threads that it starts do not touch it.
class SpaceReader {
 public:
  // While so many calls hang, no other filesystem is asked.
  static constexpr size_t kThreadsMax = 8;
  // A filesystem that took longer at its last call is not waited for.
  static constexpr Duration kPatience{20};
  // How long wait() takes at most.
  static constexpr Duration kWaitMax{100};
  // A filesystem hangs when it has not answered for so long.
  static constexpr Duration kDeadline{1000};

  using Read = std::function<Result<FilesystemSpace>(const MountPlace&)>;
  struct Answer {
    MountPlace place;
    Result<FilesystemSpace> space;
  };

  // `read` is called on the threads, by several at once only while one of them takes long.
  explicit SpaceReader(Read read);
  // Waits for calls under way for kWaitMax, then leaves the threads of those that hang to the end of the
  // process.
  ~SpaceReader();
  SpaceReader(const SpaceReader&) = delete;
  SpaceReader& operator=(const SpaceReader&) = delete;

  // Asks these in their order, except that slow ones come last; those whose last call has not returned are
  // not asked. Forgets what it knows of others that have answered.
  void ask(const std::vector<MountPlace>& places, SteadyTime now);
  // Waits until all have answered that usually do so at once.
  void wait();
  // Removes and returns the answers that have come.
  std::vector<Answer> answers();
  // Those that were asked kDeadline ago or earlier and have not answered, by path.
  std::vector<MountPlace> hanging(SteadyTime now) const;

 private:
  struct Shared;
  struct Worker;
  void relieve();
  void end_joinable();

  const std::shared_ptr<Shared> shared_;        // also of the threads that a destructor leaves
  std::list<std::shared_ptr<Worker>> workers_;  // at most kThreadsMax
};

}  // namespace statmill

#include "agent/collectors/space_reader.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/mutex.h"

namespace statmill {
namespace {

using RealClock = std::chrono::steady_clock;

}  // namespace

Result<FilesystemSpace> read_space(const MountPlace& place) {
  const Descriptor directory(::open(place.path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  struct statfs space {};
  if (!directory.is_open() || ::fstat(directory.get(), &status) != 0 ||
      ::fstatfs(directory.get(), &space) != 0)
    return Error{errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo,
                 place.path + ": " + std::strerror(errno)};
  // Each subvolume of btrfs has a device number of its own.
  if (status.st_dev != place.device_number && space.f_type != BTRFS_SUPER_MAGIC)
    return Error{ErrorCode::kNotFound, place.path + ": hidden by another filesystem"};
  return FilesystemSpace{
      .block_bytes = static_cast<uint64_t>(space.f_frsize != 0 ? space.f_frsize : space.f_bsize),
      .blocks = space.f_blocks,
      .blocks_free = space.f_bfree,
      .blocks_available = space.f_bavail,
      .inodes = space.f_files,
      .inodes_free = space.f_ffree};
}

// One thread. Only its flags are shared.
struct SpaceReader::Worker {
  std::thread thread;               // of the owner
  std::optional<MountPlace> place;  // that it asks now
  RealClock::time_point began{};    // that call
  bool is_relieved = false;         // it ends when its call returns
  bool has_ended = false;
};

struct SpaceReader::Shared {
  struct Asked {
    SteadyTime at;
    bool is_slow = false;  // it is not waited for
  };

  explicit Shared(Read function) : read(std::move(function)) {}

  // Returns what the worker is to ask, or nullopt if it is to end. Waits until there is either.
  std::optional<MountPlace> next(Worker& worker) EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    while (queue.empty() && !is_ending && !worker.is_relieved) changed.wait(mutex);
    if (is_ending || worker.is_relieved) {
      worker.has_ended = true;
      changed.notify_all();
      return std::nullopt;
    }
    worker.place = std::move(queue.front());
    worker.began = RealClock::now();
    queue.pop_front();
    return worker.place;
  }

  void answer(Worker& worker, MountPlace place, Result<FilesystemSpace> space) EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    if (RealClock::now() - worker.began >= kPatience) {
      slow.insert(place);
    } else {
      slow.erase(place);
    }
    worker.place.reset();
    asked.erase(place);
    answered.push_back({std::move(place), std::move(space)});
    changed.notify_all();
  }

  bool waits_for_any() const REQUIRES(mutex) {
    return std::any_of(asked.begin(), asked.end(), [](const auto& one) { return !one.second.is_slow; });
  }

  // So the places without an answer are at most these, and one of each thread.
  void forget_queued_except(const std::vector<MountPlace>& places) REQUIRES(mutex) {
    const std::set<MountPlace> known(places.begin(), places.end());
    std::erase_if(queue, [&](const MountPlace& place)
                             REQUIRES(mutex) { return !known.contains(place) && asked.erase(place) != 0; });
  }

  static void run(const std::shared_ptr<Shared>& shared, const std::shared_ptr<Worker>& worker) {
    ::pthread_setname_np(::pthread_self(), "filesystems");
    while (std::optional<MountPlace> place = shared->next(*worker)) {
      Result<FilesystemSpace> space = shared->read(*place);
      shared->answer(*worker, std::move(*place), std::move(space));
    }
  }

  const Read read;
  mutable Mutex mutex;  // also of the fields of all workers, except their threads
  Condition changed;
  bool is_ending GUARDED_BY(mutex) = false;
  std::deque<MountPlace> queue GUARDED_BY(mutex);       // part of `asked`
  std::map<MountPlace, Asked> asked GUARDED_BY(mutex);  // without an answer
  std::set<MountPlace> slow GUARDED_BY(mutex);          // their last call, or that under way
  std::vector<Answer> answered GUARDED_BY(mutex);
};

SpaceReader::SpaceReader(Read read) : shared_(std::make_shared<Shared>(std::move(read))) {}

SpaceReader::~SpaceReader() {
  const auto end = RealClock::now() + kWaitMax;
  {
    const MutexLock lock(shared_->mutex);
    shared_->is_ending = true;
    shared_->changed.notify_all();
    const auto all_ended = [&] {
      return std::all_of(workers_.begin(), workers_.end(), [](const auto& one) { return one->has_ended; });
    };
    while (!all_ended()) {
      const auto left = end - RealClock::now();
      if (left <= left.zero()) break;
      shared_->changed.wait_for(shared_->mutex, left);
    }
  }
  end_joinable();
  for (const auto& worker : workers_) worker->thread.detach();  // nothing else ends a call that hangs
}

void SpaceReader::ask(const std::vector<MountPlace>& places, SteadyTime now) {
  {
    const MutexLock lock(shared_->mutex);
    shared_->forget_queued_except(places);
    const std::set<MountPlace> known = std::exchange(shared_->slow, {});
    std::vector<MountPlace> late;
    for (const MountPlace& place : places) {
      const bool is_slow = known.contains(place);
      if (is_slow) shared_->slow.insert(place);
      if (!shared_->asked.try_emplace(place, Shared::Asked{now, is_slow}).second) continue;
      if (is_slow) {
        late.push_back(place);
      } else {
        shared_->queue.push_back(place);
      }
    }
    shared_->queue.insert(shared_->queue.end(), late.begin(), late.end());
    shared_->changed.notify_all();
  }
  relieve();
}

void SpaceReader::wait() {
  const auto end = RealClock::now() + kWaitMax;
  while (true) {
    relieve();
    const MutexLock lock(shared_->mutex);
    if (!shared_->waits_for_any()) return;
    const auto left = end - RealClock::now();
    if (left <= left.zero()) {  // too many hang; the rest is waited for once only
      for (auto& [place, asked] : shared_->asked) asked.is_slow = true;
      return;
    }
    shared_->changed.wait_for(shared_->mutex, std::min<RealClock::duration>(left, kPatience));
  }
}

// Starts a thread for the rest of the queue if all threads are in calls that take long.
void SpaceReader::relieve() {
  bool needs_worker = false;
  {
    const MutexLock lock(shared_->mutex);
    const auto now = RealClock::now();
    bool has_free = false;
    for (const auto& worker : workers_) {
      if (worker->place && !worker->is_relieved && now - worker->began >= kPatience) {
        shared_->slow.insert(*worker->place);
        shared_->asked.at(*worker->place).is_slow = true;
        worker->is_relieved = true;
      }
      if (!worker->is_relieved) has_free = true;
    }
    needs_worker = !has_free && !shared_->queue.empty();
  }
  end_joinable();
  if (!needs_worker || workers_.size() == kThreadsMax) return;
  const auto worker = std::make_shared<Worker>();
  try {
    worker->thread = std::thread(Shared::run, shared_, worker);
  } catch (const std::system_error&) {
    return;  // the host has no thread left: the next collection tries again
  }
  workers_.push_back(worker);
}

void SpaceReader::end_joinable() {
  const auto has_ended = [this](const std::shared_ptr<Worker>& worker) {
    const MutexLock lock(shared_->mutex);
    return worker->has_ended;
  };
  for (auto it = workers_.begin(); it != workers_.end();) {
    if (!has_ended(*it)) {
      ++it;
      continue;
    }
    (*it)->thread.join();
    it = workers_.erase(it);
  }
}

std::vector<SpaceReader::Answer> SpaceReader::answers() {
  const MutexLock lock(shared_->mutex);
  return std::exchange(shared_->answered, {});
}

std::vector<MountPlace> SpaceReader::hanging(SteadyTime now) const {
  std::vector<MountPlace> places;
  const MutexLock lock(shared_->mutex);
  for (const auto& [place, asked] : shared_->asked) {
    if (now - asked.at >= kDeadline) places.push_back(place);
  }
  return places;
}

}  // namespace statmill

#include "tests/fault/faulty_disk.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

uint64_t below(std::mt19937_64& random, uint64_t n) { return random() % n; }

uint64_t size_of(const fs::path& path) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

bool writes(DiskOp op) { return op != DiskOp::kOpen && op != DiskOp::kRead; }

// The file keeps its size, but unsynced pages that never reached the disk read as zeros.
void lose_pages(const fs::path& path, uint64_t durable, std::mt19937_64& random) {
  constexpr uint64_t kPage = 4096;
  const uint64_t size = size_of(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (uint64_t at = durable; at < size; at = (at / kPage + 1) * kPage) {
    if (below(random, 2) == 0) continue;
    const std::string zeros(std::min(size, (at / kPage + 1) * kPage) - at, '\0');
    file.seekp(static_cast<std::streamoff>(at));
    file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
  }
}

}  // namespace

std::string name_of(DiskOp op) {
  constexpr std::array<const char*, kDiskOpCount> kNames = {"Create",        "Open",   "Append", "Sync",
                                                            "SyncDirectory", "Rename", "Unlink", "Read"};
  return kNames[static_cast<size_t>(op)];
}

void FaultyDisk::fail(const DiskFault& fault) {
  MutexLock lock(mutex_);
  faults_.push_back(fault);
}

void FaultyDisk::make_read_only() {
  for (const DiskOp op : {DiskOp::kCreate, DiskOp::kAppend, DiskOp::kSync, DiskOp::kSyncDirectory,
                          DiskOp::kRename, DiskOp::kUnlink}) {
    fail({op, 1, true, EROFS});
  }
}

void FaultyDisk::limit_space(uint64_t bytes) {
  MutexLock lock(mutex_);
  space_ = bytes;
}

void FaultyDisk::slow_down(DiskOp op, Duration by) {
  MutexLock lock(mutex_);
  delays_[static_cast<size_t>(op)] = by;
}

void FaultyDisk::hang(DiskOp op, uint64_t nth) {
  SM_CHECK(nth > 0);
  MutexLock lock(mutex_);
  next_hang_ = {op, nth};
}

void FaultyDisk::release() {
  MutexLock lock(mutex_);
  next_hang_.reset();
  is_hung_ = false;
  hang_changed_.notify_all();
}

void FaultyDisk::heal() {
  release();
  MutexLock lock(mutex_);
  faults_.clear();
  space_.reset();
  delays_.fill(Duration(0));
}

bool FaultyDisk::wait_for_hang() {
  return wait_for_hang([](const auto& hanging) { return !hanging.empty(); }, kHangTimeout);
}

bool FaultyDisk::wait_for_hang(std::thread::id thread) {
  return wait_for_hang() &&
         wait_for_hang([thread](const auto& hanging) { return hanging.contains(thread); }, kThreadTimeout);
}

bool FaultyDisk::wait_for_hang(const IsHanging& is_met, std::chrono::seconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mutex_);
  while (!is_met(hanging_)) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if ((!next_hang_ && !is_hung_) || left <= left.zero()) return false;
    hang_changed_.wait_for(mutex_, left);
  }
  return true;
}

void FaultyDisk::cut_power_at(uint64_t nth) {
  SM_CHECK(nth > 0);
  MutexLock lock(mutex_);
  calls_to_cut_ = nth;
}

void FaultyDisk::cut_power() {
  MutexLock lock(mutex_);
  powered_ = false;
}

bool FaultyDisk::has_power() const {
  MutexLock lock(mutex_);
  return powered_;
}

uint64_t FaultyDisk::calls(DiskOp op) const {
  MutexLock lock(mutex_);
  return calls_[static_cast<size_t>(op)];
}

uint64_t FaultyDisk::failures() const {
  MutexLock lock(mutex_);
  return failures_;
}

// Waits without the mutex.
void FaultyDisk::wait(DiskOp op) {
  if (next_hang_ && next_hang_->first == op && --next_hang_->second == 0) {
    next_hang_.reset();
    is_hung_ = true;
  }
  if (is_hung_) {
    const auto hanging = hanging_.insert(std::this_thread::get_id());
    hang_changed_.notify_all();
    while (is_hung_) hang_changed_.wait(mutex_);
    hanging_.erase(hanging);
  }
  const Duration delay = delays_[static_cast<size_t>(op)];
  if (delay == Duration(0)) return;
  mutex_.unlock();
  std::this_thread::sleep_for(delay);
  mutex_.lock();
}

int FaultyDisk::begin(DiskOp op) {
  wait(op);
  if (calls_to_cut_ && writes(op) && --*calls_to_cut_ == 0) {
    powered_ = false;
    calls_to_cut_.reset();
  }
  if (!powered_) return EIO;
  ++calls_[static_cast<size_t>(op)];
  int error = 0;
  for (DiskFault& fault : faults_) {
    if (fault.op != op) continue;
    if (fault.nth > 0) --fault.nth;
    if (fault.nth > 0) continue;
    error = fault.error;
    if (!fault.for_ever) fault.nth = UINT64_MAX;
  }
  if (error != 0) ++failures_;
  return error;
}

FaultyDisk::File& FaultyDisk::known(const fs::path& path) {
  const auto [file, is_new] = files_.try_emplace(path);
  if (is_new) file->second.size = file->second.durable = size_of(path);
  return file->second;
}

int FaultyDisk::create(const fs::path& path) {
  MutexLock lock(mutex_);
  if (const int error = begin(DiskOp::kCreate); error != 0) return error;
  Change change{DiskOp::kCreate, path, {}, {}, std::nullopt};
  if (fs::exists(path)) {
    change.file = known(path);
    change.saved = save(path);
  }
  changes_.push_back(std::move(change));
  files_[path] = {};
  return 0;
}

int FaultyDisk::open(DiskOp op) {
  MutexLock lock(mutex_);
  return begin(op);
}

int FaultyDisk::read() {
  MutexLock lock(mutex_);
  return begin(DiskOp::kRead);
}

FaultyDisk::Appended FaultyDisk::append(const fs::path& path, uint64_t bytes) {
  MutexLock lock(mutex_);
  Appended done{bytes, begin(DiskOp::kAppend)};
  File& file = known(path);
  // A failing write has often written something.
  if (done.error != 0) done.bytes = powered_ && done.error != EROFS ? bytes / 2 : 0;
  if (space_ && done.bytes > *space_) {
    done = {*space_, ENOSPC};
    ++failures_;
  }
  file.size += done.bytes;
  if (space_) *space_ -= done.bytes;
  return done;
}

int FaultyDisk::truncate(const fs::path& path, uint64_t bytes) {
  MutexLock lock(mutex_);
  if (const int error = begin(DiskOp::kAppend); error != 0) return error;
  File& file = known(path);
  file.size = bytes;
  file.durable = std::min(file.durable, bytes);
  return 0;
}

int FaultyDisk::sync(const fs::path& path) {
  MutexLock lock(mutex_);
  const int error = begin(DiskOp::kSync);
  File& file = known(path);
  if (error != 0) file.lost = true;
  if (!file.lost) file.durable = file.size;
  return error;
}

int FaultyDisk::sync_directory(const fs::path& path) {
  MutexLock lock(mutex_);
  if (const int error = begin(DiskOp::kSyncDirectory); error != 0) return error;
  std::erase_if(changes_, [&](const Change& change) {
    if (change.path.parent_path() != path) return false;
    std::error_code ignored;  // an empty path means that nothing was saved
    fs::remove(change.saved, ignored);
    return true;
  });
  return 0;
}

int FaultyDisk::rename(const fs::path& from, const fs::path& to) {
  MutexLock lock(mutex_);
  if (const int error = begin(DiskOp::kRename); error != 0) return error;
  Change change{DiskOp::kRename, from, to, {}, std::nullopt};
  if (fs::exists(to)) {
    change.file = known(to);
    change.saved = save(to);
  }
  std::error_code error;
  fs::rename(from, to, error);
  if (error) return error.value();
  if (const auto file = files_.find(from); file != files_.end()) {
    files_[to] = file->second;
    files_.erase(file);
  } else {
    files_.erase(to);
  }
  changes_.push_back(std::move(change));
  return 0;
}

int FaultyDisk::unlink(const fs::path& path) {
  MutexLock lock(mutex_);
  if (const int error = begin(DiskOp::kUnlink); error != 0) return error;
  if (!fs::exists(path)) return ENOENT;
  Change change{DiskOp::kUnlink, path, {}, {}, known(path)};
  if (space_) *space_ += change.file->size;
  change.saved = save(path);
  files_.erase(path);
  changes_.push_back(std::move(change));
  return 0;
}

// Moves a file away that is about to be overwritten or unlinked.
fs::path FaultyDisk::save(const fs::path& path) {
  if (!fs::exists(path)) return {};
  fs::path saved = scratch_ / std::to_string(saved_++);
  fs::rename(path, saved);
  return saved;
}

void FaultyDisk::undo(const Change& change) {
  const fs::path& gone = change.op == DiskOp::kRename ? change.to : change.path;
  if (change.op == DiskOp::kRename) {
    fs::rename(change.to, change.path);
    if (const auto file = files_.find(change.to); file != files_.end()) files_[change.path] = file->second;
  }
  if (change.op != DiskOp::kUnlink) {
    fs::remove(gone);
    files_.erase(gone);
  }
  if (change.saved.empty()) return;
  fs::rename(change.saved, gone);
  if (change.file) files_[gone] = *change.file;
}

void FaultyDisk::restore_power(std::mt19937_64& random) {
  MutexLock lock(mutex_);
  // Directories are journaled: of the changes that were not durable, the first ones up to any point may have
  // reached the disk.
  const size_t kept = below(random, 2) == 0 ? 0 : below(random, changes_.size() + 1);
  while (changes_.size() > kept) {
    undo(changes_.back());
    changes_.pop_back();
  }
  for (const auto& [path, file] : files_) {
    const uint64_t size = size_of(path);
    if (size <= file.durable) continue;
    const uint64_t torn = below(random, 2) == 0 ? 0 : below(random, size - file.durable + 1);
    fs::resize_file(path, file.durable + torn);
    if (below(random, 2) == 0) lose_pages(path, file.durable, random);
  }
  files_.clear();
  changes_.clear();
  fs::remove_all(scratch_);
  fs::create_directory(scratch_);
  calls_to_cut_.reset();
  powered_ = true;
}

}  // namespace statmill

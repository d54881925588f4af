#include "server/admin/snapshots.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/process_hash.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr size_t kIdBytes = 8;
constexpr uint64_t kSummedPieceBytes = uint64_t{1} << 20;

// Random, because a client may still know the id of an earlier server.
std::string new_id() {
  const HashSecret random = random_secret();
  std::string id;
  for (size_t i = 0; i < kIdBytes; ++i) {
    id += "0123456789abcdef"[random.at(i) >> 4];
    id += "0123456789abcdef"[random.at(i) & 15];
  }
  return id;
}

Error no_snapshot(std::string_view id) {
  return {ErrorCode::kNotFound,
          "there is no snapshot " + std::string(id) + " any more: the server gave it up, or started again"};
}

int64_t seconds_between(SteadyTime from, SteadyTime until) {
  return std::chrono::duration_cast<std::chrono::seconds>(until - from).count();
}

}  // namespace

struct Snapshots::Snapshot {
  std::shared_ptr<const bool> has_files;  // first, so that it ends after `files`
  std::string id;
  RocksStore::Files files;
  std::map<std::string, uint64_t, std::less<>> bytes = {};  // by name

  uint64_t bytes_of(std::string_view file) const { return bytes.find(file)->second; }
  std::string path(std::string_view file) const { return fs::path(files.checkpoint.path()) / file; }
};

// Tells how long it may still take, if the client of the other one has gone.
Error Snapshots::busy() const {
  std::string why = "another job is running: backup";
  if (snapshot_) {
    why += ", whose client last asked " +
           std::to_string(seconds_between(used_at_, services_.clock.steady())) +
           " s ago; it is given up after " + std::to_string(kIdleMax.count() / 1000) + " s";
  }
  return {ErrorCode::kBusy, std::move(why)};
}

Result<Snapshots::Made> Snapshots::make() {
  release_idle();
  {
    MutexLock lock(mutex_);
    if (is_making_ || !files_.expired()) return busy();
    is_making_ = true;
  }
  if (Status written = services_.write_accepted(); !written)
    services_.log.warn("a backup lacks what is not in the store yet", {{"reason", written.error().message}});
  auto listed = list();
  MutexLock lock(mutex_);
  is_making_ = false;
  if (!listed) return listed.error();
  snapshot_ = *listed;
  files_ = snapshot_->has_files;
  made_at_ = used_at_ = services_.clock.steady();
  done_bytes_ = total_bytes_ = 0;
  Made made{.id = snapshot_->id, .format = snapshot_->files.format, .files = {}};
  for (const auto& [name, bytes] : snapshot_->bytes) {
    made.files.push_back({name, bytes});
    total_bytes_ += bytes;
  }
  return made;
}

Result<std::shared_ptr<Snapshots::Snapshot>> Snapshots::list() {
  auto files = services_.store.files();
  if (!files) return files.error();
  const auto snapshot =
      std::make_shared<Snapshot>(Snapshot{std::make_shared<const bool>(true), new_id(), *std::move(files)});
  std::error_code error;
  for (fs::directory_iterator i(snapshot->files.checkpoint.path(), error), end; !error && i != end;
       i.increment(error)) {
    std::error_code unknown;
    const uint64_t bytes = i->file_size(unknown);
    if (unknown) return Error{ErrorCode::kIo, i->path().string() + ": " + unknown.message()};
    snapshot->bytes[i->path().filename().string()] = bytes;
  }
  if (error) return Error{ErrorCode::kIo, snapshot->files.checkpoint.path() + ": " + error.message()};
  return snapshot;
}

Result<std::shared_ptr<Snapshots::Snapshot>> Snapshots::find(const Range& range, uint64_t bytes_max) {
  if (range.bytes > bytes_max)
    return Error{ErrorCode::kInvalid, "bytes is at most " + std::to_string(bytes_max)};
  MutexLock lock(mutex_);
  if (!snapshot_ || snapshot_->id != range.id) return no_snapshot(range.id);
  if (!snapshot_->bytes.contains(range.file))
    return Error{ErrorCode::kNotFound, "the snapshot has no file \"" + std::string(range.file) + "\""};
  used_at_ = services_.clock.steady();
  return snapshot_;
}

// The time of the request may be long on a slow disk.
void Snapshots::note_use(uint64_t bytes) {
  MutexLock lock(mutex_);
  used_at_ = services_.clock.steady();
  done_bytes_ += bytes;
}

Result<std::string> Snapshots::read(const Range& range) {
  const auto snapshot = find(range, kPieceBytesMax);
  if (!snapshot) return snapshot.error();
  if (range.offset >= (*snapshot)->bytes_of(range.file)) return std::string();
  auto piece = read_piece((*snapshot)->path(range.file), range.offset, range.bytes);
  if (piece) note_use(piece->size());
  return piece;
}

Result<FileSum> Snapshots::sum(const Range& range, uint32_t crc) {
  const auto snapshot = find(range, kSummedBytesMax);
  if (!snapshot) return snapshot.error();
  FileSum sum{.bytes = 0, .crc32c = crc};
  const uint64_t size = (*snapshot)->bytes_of(range.file);
  const uint64_t bytes = std::min(range.bytes, size - std::min(size, range.offset));
  while (sum.bytes < bytes) {
    const uint64_t wanted = std::min(kSummedPieceBytes, bytes - sum.bytes);
    const auto piece = read_piece((*snapshot)->path(range.file), range.offset + sum.bytes, wanted);
    if (!piece) return piece.error();
    sum.crc32c = crc32c(*piece, sum.crc32c);
    sum.bytes += piece->size();
    if (piece->size() < wanted) break;
  }
  note_use(sum.bytes);
  return sum;
}

// The files are removed when the last request for them has ended.
Status Snapshots::release(std::string_view id) {
  std::shared_ptr<Snapshot> released;
  MutexLock lock(mutex_);
  if (!snapshot_ || snapshot_->id != id) return no_snapshot(id);
  snapshot_.swap(released);
  return Status::ok();
}

void Snapshots::release_idle() {
  std::shared_ptr<Snapshot> idle;
  MutexLock lock(mutex_);
  const SteadyTime now = services_.clock.steady();
  if (!snapshot_ || (now - used_at_ < kIdleMax && now - made_at_ < kAgeMax)) return;
  services_.log.warn("backup given up",
                     {{"idle_s", seconds_between(used_at_, now)}, {"age_s", seconds_between(made_at_, now)}});
  snapshot_.swap(idle);
}

std::optional<LongJob::Progress> Snapshots::progress() const {
  MutexLock lock(mutex_);
  if (!snapshot_) return std::nullopt;
  return LongJob::Progress{done_bytes_, total_bytes_};
}

}  // namespace statmill

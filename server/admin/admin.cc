#include "server/admin/admin.h"

#include "storage/files/data_directory.h"
#include "storage/files/files.h"

namespace statmill {
namespace {

Error stopping_error() { return {ErrorCode::kUnavailable, "the server is stopping"}; }

}  // namespace

class Admin::Place {
 public:
  Place(Admin& admin, std::string_view job) : admin_(admin) {
    MutexLock lock(admin_.mutex_);
    taken_by_ = admin_.job_;
    if (taken_by_.empty()) admin_.job_ = job;
  }
  ~Place() {
    if (!taken_by_.empty()) return;
    MutexLock lock(admin_.mutex_);
    admin_.job_ = {};
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // Whether the job may go on.
  Status status() const {
    if (!taken_by_.empty()) {
      return Error{ErrorCode::kBusy, "the server is at another job, " + std::string(taken_by_) +
                                         "; try again when that has ended"};
    }
    if (admin_.stopping_) return stopping_error();
    return Status::ok();
  }

 private:
  Admin& admin_;
  std::string_view taken_by_;  // the job that has the place already
};

template <class T>
Result<T> Admin::run(std::string_view name, const std::function<Result<T>()>& job) {
  const Place place(*this, name);
  if (Status mine = place.status(); !mine) return mine.error();
  services_.log.info("admin job begins", {{"job", name}});
  Result<T> result = job();
  if (result) {
    services_.log.info("admin job has ended", {{"job", name}});
  } else {
    services_.log.warn("admin job failed", {{"job", name}, {"why", result.error().message}});
  }
  return result;
}

Result<Admin::Settled> Admin::flush() {
  return run<Settled>("flush", [this] { return settle(false); });
}

Result<Admin::Settled> Admin::compact() {
  return run<Settled>("flush --compact", [this] { return settle(true); });
}

Result<Admin::Settled> Admin::settle(bool compact) {
  const std::string directory = database_path(services_.store.data_directory());
  Settled settled{directory_bytes(directory), 0};
  Status done = services_.on_tick_thread([](Ticker& ticker, TickTime now) { return ticker.flush_all(now); });
  if (done) done = services_.store.flush();
  if (done && compact) done = services_.store.compact(stopping_);
  if (!done) return done.error();
  settled.bytes_after = directory_bytes(directory);
  return settled;
}

Result<BackupSummary> Admin::backup(const std::string& directory) {
  if (!directory.starts_with('/'))
    return Error{ErrorCode::kInvalid, "\"" + directory + "\" is no absolute path"};
  return run<BackupSummary>(
      "backup", [&] { return services_.store.backup(directory, [this] { return stopping_.load(); }); });
}

Result<ScrubReport> Admin::check() {
  return run<ScrubReport>("check", [this] {
    return services_.store.scrub(
        [this] { return stopping_.load() || services_.health.problems().contains("store"); });
  });
}

Result<ChangedSeries> Admin::change(const SeriesChanges& changes) {
  if (stopping_) return stopping_error();
  Result<ChangedSeries> changed = stopping_error();
  const Status ran = services_.on_tick_thread([&](Ticker& ticker, TickTime now) {
    changed = ticker.change(changes, now);
    return Status::ok();
  });
  if (!ran) return ran.error();
  return changed;
}

Result<Duration> Admin::confirm_clock() {
  if (stopping_) return stopping_error();
  Duration ahead{};
  const Status ran = services_.on_tick_thread([&](Ticker& ticker, TickTime now) {
    ahead = ticker.confirm_clock(now);
    return Status::ok();
  });
  if (!ran) return ran.error();
  return ahead;
}

}  // namespace statmill

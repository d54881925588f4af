#include "server/admin/admin.h"

#include "storage/files/data_directory.h"
#include "storage/files/files.h"

namespace statmill {
namespace {

Error stopping_error() { return {ErrorCode::kUnavailable, "the server is stopping"}; }

}  // namespace

class Admin::JobSlot {
 public:
  JobSlot(Admin& admin, std::string_view name, const LongJob& job) : admin_(admin) {
    MutexLock lock(admin_.mutex_);
    other_job_ = admin_.job_name_;
    if (!other_job_.empty()) return;
    admin_.job_name_ = name;
    admin_.job_ = &job;
  }
  ~JobSlot() {
    if (!other_job_.empty()) return;
    MutexLock lock(admin_.mutex_);
    admin_.job_name_ = {};
    admin_.job_ = nullptr;
  }
  JobSlot(const JobSlot&) = delete;
  JobSlot& operator=(const JobSlot&) = delete;

  // Returns ok if the job may run.
  Status status() const {
    if (!other_job_.empty()) {
      return Error{ErrorCode::kBusy,
                   "another job is running: " + std::string(other_job_) + "; try again when it has finished"};
    }
    if (admin_.stopping_) return stopping_error();
    return Status::ok();
  }

 private:
  Admin& admin_;
  std::string_view other_job_;  // the job that runs already; empty: none
};

template <class T>
Result<T> Admin::run(std::string_view name, LongJob& job, const std::function<Result<T>()>& body) {
  const JobSlot slot(*this, name, job);
  if (Status allowed = slot.status(); !allowed) return allowed.error();
  services_.log.info("admin job started", {{"job", name}});
  Result<T> result = body();
  if (result) {
    services_.log.info("admin job finished", {{"job", name}});
  } else {
    services_.log.warn("admin job failed", {{"job", name}, {"reason", result.error().message}});
  }
  return result;
}

std::optional<Admin::RunningJob> Admin::running_job() const {
  {
    MutexLock lock(mutex_);
    if (job_ != nullptr) return RunningJob{job_name_, job_->progress()};
  }
  const auto backup = services_.snapshots.progress();
  return backup ? std::optional(RunningJob{"backup", *backup}) : std::nullopt;
}

Result<Admin::Sizes> Admin::flush() {
  LongJob job;
  return run<Sizes>("flush", job, [&] { return flush_store(false, job); });
}

Result<Admin::Sizes> Admin::compact() {
  LongJob job;
  return run<Sizes>("flush --compact", job, [&] { return flush_store(true, job); });
}

Result<Admin::Sizes> Admin::flush_store(bool compact, LongJob& job) {
  const std::string directory = database_path(services_.store.data_directory());
  Sizes sizes{directory_bytes(directory), 0};
  Status done = services_.on_tick_thread([](Ticker& ticker, TickTime now) { return ticker.flush_all(now); });
  if (done) done = services_.store.flush();
  if (done && compact) done = services_.store.compact(stopping_, job);
  if (!done) return done.error();
  sizes.bytes_after = directory_bytes(directory);
  return sizes;
}

Result<ScrubReport> Admin::check() {
  LongJob job([this] { return stopping_.load() || services_.health.problems().contains("store"); });
  return run<ScrubReport>("check", job, [&] { return services_.store.scrub(job); });
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

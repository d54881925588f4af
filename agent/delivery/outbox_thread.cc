#include "agent/delivery/outbox_thread.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace statmill {
namespace {

size_t bytes_of(const LineBatch& batch) {
  return batch.text.size() + batch.values.size() * sizeof(LastValue);
}

}  // namespace

OutboxThread::OutboxThread(const Services& services, OutboxOptions options)
    : services_(services),
      waiting_bytes_max_(options.queue_bytes),
      outbox_(
          thread_.loop(), services.log, services.clock,
          [&] {
            options.collectors = [this] { return notes_to_send(); };
            return std::move(options);
          }(),
          [this] { publish(); }) {}

OutboxThread::~OutboxThread() {
  thread_.loop().stop();
  thread_.join();
}

Status OutboxThread::open() {
  Status opened = outbox_.open();
  if (opened) publish();
  return opened;
}

void OutboxThread::start() {
  boost::asio::post(thread_.loop(), [this] { outbox_.start(); });
  thread_.start(services_.log, "outbox", &services_.watchdog);
}

void OutboxThread::send(LineBatch batch) {
  {
    MutexLock lock(mutex_);
    if (waiting_.batches.empty()) waiting_.since = services_.clock.steady();
    waiting_.bytes += bytes_of(batch);
    waiting_.batches.push_back(std::move(batch));
    drop_over_bound();
    if (std::exchange(is_send_due_, true)) return;
  }
  boost::asio::post(thread_.loop(), [this] { send_waiting(); });
}

// Always keeps the newest batch, whatever its size.
void OutboxThread::drop_over_bound() {
  auto& batches = waiting_.batches;
  auto kept = batches.begin();
  for (; waiting_.bytes > waiting_bytes_max_ && kept + 1 != batches.end(); ++kept) {
    waiting_.bytes -= bytes_of(*kept);
    waiting_.lines_lost += kept->lines;
    lines_lost_ += kept->lines;
  }
  if (kept == batches.begin()) return;
  batches.erase(batches.begin(), kept);
  if (drop_log_.admit(services_.clock.steady()) < 0) return;
  services_.log.error(
      "the spool's disk hangs; the oldest waiting lines are dropped, and servers get a gap in their place",
      {{"lines", waiting_.lines_lost}, {"bytes", waiting_.bytes}});
}

void OutboxThread::send_waiting() {
  Waiting waiting;
  {
    MutexLock lock(mutex_);
    waiting = std::exchange(waiting_, {});
    is_send_due_ = false;
  }
  if (waiting.lines_lost > 0) outbox_.add_gap(waiting.lines_lost);
  lines_lost_reported_ += waiting.lines_lost;
  // Each batch is freed as soon as the spool has it.
  for (LineBatch& batch : waiting.batches) outbox_.send(std::exchange(batch, {}));
}

void OutboxThread::finish(Duration limit, std::function<void()> done) {
  boost::asio::post(thread_.loop(), [this, limit, done = std::move(done)]() mutable {
    send_waiting();
    outbox_.finish(limit, [this, done = std::move(done)] {
      publish();
      done();
    });
  });
}

void OutboxThread::publish() {
  OutboxFigures figures = outbox_.figures();
  MutexLock lock(mutex_);
  figures_ = figures;
  lines_lost_published_ = lines_lost_reported_;
}

OutboxFigures OutboxThread::figures() const {
  MutexLock lock(mutex_);
  OutboxFigures figures = figures_;
  figures.lines_dropped += lines_lost_ - lines_lost_published_;
  return figures;
}

std::chrono::nanoseconds OutboxThread::waiting_for() const {
  MutexLock lock(mutex_);
  if (waiting_.batches.empty()) return std::chrono::nanoseconds(0);
  return services_.clock.steady() - waiting_.since;
}

void OutboxThread::set_notes(const std::vector<CollectorNote>& notes) {
  std::vector<Note> copies;
  copies.reserve(notes.size());
  for (const CollectorNote& note : notes)
    copies.push_back({std::string(note.name), note.state, std::string(note.reason), note.sources});
  MutexLock lock(mutex_);
  notes_ = std::move(copies);
}

std::vector<CollectorNote> OutboxThread::notes_to_send() {
  {
    MutexLock lock(mutex_);
    sent_notes_ = notes_;
  }
  std::vector<CollectorNote> notes;
  notes.reserve(sent_notes_.size());
  for (const Note& note : sent_notes_) notes.push_back({note.name, note.state, note.reason, note.sources});
  return notes;
}

}  // namespace statmill

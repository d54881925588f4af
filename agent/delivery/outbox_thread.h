// OutboxThread: an Outbox on a thread of its own. While the spool's disk hangs, that thread hangs alone: the
// agent goes on collecting, and what it collects waits here in memory, within a bound.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/batch_builder.h"
#include "agent/delivery/outbox.h"
#include "agent/delivery/outbox_options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/net/event_thread.h"
#include "base/net/watchdog.h"
#include "base/result.h"

namespace statmill {

// Confined to one thread, which never waits for the disk but in open() and in the destructor.
class OutboxThread {
 public:
  struct Services {  // all must outlive it
    Log& log;
    const Clock& clock;
    Watchdog& watchdog;
  };
  // No more than options.queue_bytes wait here. options.collectors is not used: see set_notes().
  OutboxThread(const Services& services, OutboxOptions options);
  // Ends the thread.
  ~OutboxThread();
  OutboxThread(const OutboxThread&) = delete;
  OutboxThread& operator=(const OutboxThread&) = delete;

  // Outbox::open.
  Status open();
  // Starts the thread, which begins to connect. Requires: open.
  void start();
  // Hands lines over. Over the bound the oldest that wait are dropped, counted, and told to servers as a gap.
  void send(LineBatch batch);
  // What the collectors report from now on. Takes copies of the texts.
  void set_notes(const std::vector<CollectorNote>& notes);
  // Outbox::finish, after all that was handed over. `done` is called on the outbox's thread, and not before
  // the disk answers.
  void finish(Duration limit, std::function<void()> done);

  // As of the last time that the outbox did something; dropped lines as of now.
  OutboxFigures figures() const;
  // How long the oldest lines have waited for the thread; 0: none wait.
  std::chrono::nanoseconds waiting_for() const;

 private:
  struct Note {
    std::string name;
    uint8_t state = 0;
    std::string reason;
  };
  struct Waiting {
    std::vector<LineBatch> batches;  // in order
    size_t bytes = 0;
    uint64_t lines_lost = 0;  // dropped before them
    SteadyTime since{};       // of the first that was handed over
  };
  void drop_over_bound() REQUIRES(mutex_);
  void take_waiting();
  void publish();
  std::vector<CollectorNote> told_notes();

  const Services services_;
  const size_t waiting_bytes_max_;
  EventThread thread_;
  Outbox outbox_;  // the thread's, once that runs
  LogLimiter drop_log_{std::chrono::seconds(60)};
  // Of the thread.
  uint64_t lines_lost_told_ = 0;  // to the outbox
  std::vector<Note> told_;        // what the last status was made of

  mutable Mutex mutex_;
  Waiting waiting_ GUARDED_BY(mutex_);
  bool is_take_due_ GUARDED_BY(mutex_) = false;
  uint64_t lines_lost_ GUARDED_BY(mutex_) = 0;  // ever dropped here
  std::vector<Note> notes_ GUARDED_BY(mutex_);
  OutboxFigures figures_ GUARDED_BY(mutex_);
  uint64_t lines_lost_published_ GUARDED_BY(mutex_) = 0;  // of lines_lost_, those that figures_ has
};

}  // namespace statmill

// OutboxThread: runs an Outbox on its own thread. If the spool's disk hangs, only that thread hangs: the
// agent goes on collecting, and its lines wait here in memory, up to a limit.
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

// Confined to one thread, which waits for the disk only in open() and in the destructor.
class OutboxThread {
 public:
  struct Services {  // all must outlive the OutboxThread
    Log& log;
    const Clock& clock;
    Watchdog& watchdog;
  };
  // At most options.queue_bytes wait here. Ignores options.collectors: see set_notes().
  OutboxThread(const Services& services, OutboxOptions options);
  // Ends the thread and waits for it.
  ~OutboxThread();
  OutboxThread(const OutboxThread&) = delete;
  OutboxThread& operator=(const OutboxThread&) = delete;

  // Calls Outbox::open().
  Status open();
  // Calls Outbox::values(). Requires: open() succeeded, and start() has not been called.
  std::vector<LastValue> values() const { return outbox_.values(); }
  // Starts the thread, which begins to connect. Requires: open() succeeded.
  void start();
  // Passes lines to the thread. Above the limit, drops and counts the oldest waiting lines; servers get a gap
  // in their place.
  void send(LineBatch batch);
  // Sets the status of the collectors that servers get from now on. Copies the texts.
  void set_notes(const std::vector<CollectorNote>& notes);
  // Calls Outbox::finish() after all lines have been passed on. `done` is called on the outbox's thread, and
  // only once the disk responds.
  void finish(Duration limit, std::function<void()> done);

  // Returns the figures as of the outbox's last activity; the dropped lines are current.
  OutboxFigures figures() const;
  // How long the oldest lines have waited for the thread; 0 if none wait.
  std::chrono::nanoseconds waiting_for() const;

 private:
  struct Note {
    std::string name;
    uint8_t state = 0;
    std::string reason;
    uint8_t sources = kSourcesNotKnown;
  };
  struct Waiting {
    std::vector<LineBatch> batches;  // in order
    size_t bytes = 0;
    uint64_t lines_lost = 0;  // dropped before `batches`
    SteadyTime since{};       // when the oldest of `batches` was passed
  };
  void drop_over_bound() REQUIRES(mutex_);
  void send_waiting();
  void publish();
  std::vector<CollectorNote> notes_to_send();

  const Services services_;
  const size_t waiting_bytes_max_;
  EventThread thread_;
  Outbox outbox_;  // used only by the thread once it runs
  LogLimiter drop_log_{std::chrono::seconds(60)};
  // Used only by the thread.
  uint64_t lines_lost_reported_ = 0;  // as passed to the outbox
  std::vector<Note> sent_notes_;      // the notes of the last status

  mutable Mutex mutex_;
  Waiting waiting_ GUARDED_BY(mutex_);
  bool is_send_due_ GUARDED_BY(mutex_) = false;
  uint64_t lines_lost_ GUARDED_BY(mutex_) = 0;  // all lines dropped here
  std::vector<Note> notes_ GUARDED_BY(mutex_);
  OutboxFigures figures_ GUARDED_BY(mutex_);
  uint64_t lines_lost_published_ GUARDED_BY(mutex_) = 0;  // the part of lines_lost_ that figures_ includes
};

}  // namespace statmill

// QueryControl: connects one running query with those who may stop it, and holds it to its limits.
//
// The engine asks should_stop() at each block of work, reports what it uses, and returns the errors that it
// gets here to its caller unchanged. Nothing here waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "server/query/query_limits.h"

namespace statmill {

// Why a query stops before its end. The first reason stays.
enum class QueryStop : uint8_t {
  kNone,
  kClient,   // its connection ended
  kServer,   // the server stops
  kAdmin,    // canceled at the admin socket
  kTimeout,  // --query.timeout, or the timeout of the request
};

// What a query has used so far.
struct QueryCost {
  uint64_t series = 0;  // series that were read
  uint64_t chunks = 0;  // chunks read from the store
  uint64_t cached = 0;  // of them, those whose columns a cache had
  uint64_t slots = 0;   // stored slots that were read
  uint64_t bytes = 0;   // bytes of the chunks that were read
  double ms = 0;        // milliseconds since the query began
};

// The bytes that all queries hold together. Thread-safe.
class QueryMemory {
 public:
  explicit QueryMemory(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Returns false if fewer than `bytes` are left.
  bool take(size_t bytes);
  void give(size_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  const size_t bytes_max_;
  // Written by the threads of all queries; relaxed, since it guards no other memory.
  std::atomic<size_t> bytes_{0};
};

// Thread-safe: any number of threads may work on the query, and any may stop it.
class QueryControl {
 public:
  // `memory` is shared by all queries, nullptr: no limit of all. `clock` decides about the timeout, nullptr:
  // no timeout. All must outlive this object.
  // `outer`, nullptr: none, is the control of the batch that the query is part of; the query stops with it.
  explicit QueryControl(const QueryLimits& limits = {}, QueryMemory* memory = nullptr,
                        const Clock* clock = nullptr, const QueryControl* outer = nullptr);
  // Gives back the memory that the query still holds.
  ~QueryControl();
  QueryControl(const QueryControl&) = delete;
  QueryControl& operator=(const QueryControl&) = delete;

  // For the engine.

  const QueryLimits& limits() const { return limits_; }
  // Returns true if the query must end. Cost: one relaxed load, and a reading of the clock (30 ns): call it
  // for each block of work, at least once a millisecond.
  bool should_stop() const;
  // Returns ok() while should_stop() is false. Otherwise kUnavailable, which HTTP answers with 503: the
  // message begins with "timeout" or "canceled".
  Status stop_reason() const;
  // Does both: ok() or the reason to stop.
  Status check() const { return should_stop() ? stop_reason() : Status::ok(); }

  // Counts slots that the query is about to read: call it with all of them before the first is read, or for
  // each block. Errors: kLimit above slots_max; kBusy if the query turns out to be a heavy one while it runs
  // among the small ones (see run_among_small()).
  Status add_slots(uint64_t slots);
  // Counts bytes that the query holds in memory. Errors, which leave the counts unchanged: kLimit above
  // memory_bytes_max; kBusy above memory_total_bytes_max.
  Status take_memory(size_t bytes);
  // Requires: take_memory() has counted these bytes.
  void give_memory(size_t bytes);
  // The query runs again from its start: resets the cost, and gives back the memory. Requires: nothing that
  // take_memory() has counted is used any more.
  void start_again();
  // Adds to the counts, except `slots` (add_slots() does that) and `ms`.
  void add_cost(const QueryCost& cost);
  // Returns the error of a query that needs `needed` of what `limit` limits, and notes the limit for the
  // metrics. The message has the number, the limit, its setting and what to ask instead.
  Error refuse(QueryLimit limit, uint64_t needed);

  // For those who run the query.

  // Starts the clock: the timeout and the cost's milliseconds count from here.
  void begin();
  // Lowers the timeout. Requires: called before should_stop(), by the thread that runs the query.
  void lower_timeout(Duration timeout);
  // Time that the query has waited for its client does not count. Called by the thread that runs the query.
  void extend_deadline(std::chrono::nanoseconds waited);
  // Call it with false while the query waits for its client or for another thread. begin() sets it to true.
  void set_working(bool yes) { is_working_.store(yes, std::memory_order_relaxed); }
  // Returns how long the query has gone on after it was stopped or its time was up; 0 if it may go on, and
  // while it waits.
  std::chrono::nanoseconds overdue(SteadyTime now) const;
  // Stops the query. Has no effect if it was stopped before.
  void stop(QueryStop reason);
  QueryStop stopped_by() const { return stop_.load(std::memory_order_relaxed); }
  QueryCost cost() const;
  std::optional<QueryLimit> refused_by() const;

  // With true, add_slots() refuses a heavy query, so that it can start again among the heavy ones. The
  // default is false. It becomes false as soon as a part of the answer is on its way. Starts the query again.
  void run_among_small(bool yes);
  bool is_among_small() const { return is_among_small_.load(std::memory_order_relaxed); }
  // The query is too heavy, although it has not read that many slots itself: a part of it has.
  void require_heavy() { is_too_heavy_.store(true, std::memory_order_relaxed); }
  // A part of the answer is on its way, so the query cannot start again.
  void keep_running() { is_among_small_.store(false, std::memory_order_relaxed); }
  // Returns true if add_slots() has refused the query as a heavy one.
  bool is_too_heavy() const { return is_too_heavy_.load(std::memory_order_relaxed); }

 private:
  // The fields are written by the threads of the query and read by those that report about it. Relaxed: each
  // stands for itself.
  struct Counts {
    std::atomic<uint64_t> series{0};
    std::atomic<uint64_t> chunks{0};
    std::atomic<uint64_t> cached{0};
    std::atomic<uint64_t> slots{0};
    std::atomic<uint64_t> bytes{0};
  };

  const QueryLimits limits_;
  QueryMemory* const memory_;
  const Clock* const clock_;
  const QueryControl* const outer_;
  Duration timeout_;  // confined to the threads that run the query
  // Written by the thread that runs the query, read by all. Relaxed: they guard no other memory.
  std::atomic<SteadyTime> began_{};
  std::atomic<SteadyTime> deadline_{SteadyTime::max()};
  std::atomic<bool> is_working_{false};
  // Written by any thread that stops the query, read by its own. Relaxed: it guards no other memory.
  mutable std::atomic<QueryStop> stop_{QueryStop::kNone};
  std::atomic<SteadyTime> stopped_at_{SteadyTime::max()};  // by stop(); the same threads, relaxed
  std::atomic<size_t> held_bytes_{0};                      // by this query; relaxed, as in QueryMemory
  Counts counts_;
  // Set by the thread that runs the query, read by all of its threads; relaxed: one slice more does no harm.
  std::atomic<bool> is_among_small_{false};
  std::atomic<bool> is_too_heavy_{false};
  std::atomic<QueryLimit> refused_by_{QueryLimit::kCount_};  // kCount_: none; the same threads, relaxed
};

// Asks the control in loops whose turns are of very different sizes. Confined to one thread.
class WorkMeter {
 public:
  // `control` must outlive this.
  explicit WorkMeter(const QueryControl& control) : control_(control) {}

  // Call it before each turn. Errors: the reason to stop.
  Status add(size_t elements) {
    if (elements < left_) {
      left_ -= elements;
      return Status::ok();
    }
    left_ = kElementsPerCheck;
    return control_.check();
  }

 private:
  static constexpr size_t kElementsPerCheck = 16 << 10;  // a millisecond, of functions that sort

  const QueryControl& control_;
  size_t left_ = kElementsPerCheck;
};

// Bytes that count as memory of a query until this ends. Requires: the query does not start again meanwhile.
class HeldMemory {
 public:
  // `control` must outlive this.
  HeldMemory(QueryControl& control, size_t bytes)
      : control_(control), bytes_(bytes), status_(control.take_memory(bytes)) {}
  ~HeldMemory() {
    if (status_) control_.give_memory(bytes_);
  }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  // Errors: those of QueryControl::take_memory(); nothing is counted then.
  const Status& status() const { return status_; }

 private:
  QueryControl& control_;
  const size_t bytes_;
  const Status status_;
};

}  // namespace statmill

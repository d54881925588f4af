// Stage: which part of its work a thread is at; and StageTimes: the CPU time that the process spends in each,
// measured while somebody asks.
//
// The clock of a thread is read whenever the thread begins or ends a stage. So the times are exact: nothing
// is sampled, short stages are seen, and a stage within another one counts only once. A sampler that looks at
// the stage each few milliseconds would give the CPU time of a short tick to the sleep after it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/thread_cpu.h"

namespace statmill {

enum class Stage : uint8_t {
  kOther,    // no stage
  kParse,    // lines become samples
  kApply,    // samples go into the table
  kCollect,  // the tick takes what has changed, and writes its row of the journal
  kRoll,     // closed chunks become chunks of coarser tiers
  kFlush,    // buckets in memory become fragments
  kCommit,   // the store writes the tick's batch
  kSync,     // files of the store are synced with the disk
  kQuery,    // queries, except for the following two
  kDecode,   // chunks are read from the store and decoded
  kPrint,    // answers are written as text
};
inline constexpr size_t kStageCount = 11;
inline constexpr std::array<std::string_view, kStageCount> kStageNames = {
    "other", "parse", "apply", "collect", "rollup", "flush", "commit", "fsync", "query", "decode", "print"};

// There is one for the process. Thread-safe. Constant-initialized: there is no order of construction.
class StageTimes {
 public:
  // Turned on, a change of the stage costs a system call (thread_cpu.h); turned off, a load. Counting goes on
  // from what it was.
  void turn_on() {
    if (!is_on()) round_.fetch_add(1, std::memory_order_relaxed);
    is_on_.store(true, std::memory_order_relaxed);
  }
  void turn_off() { is_on_.store(false, std::memory_order_relaxed); }
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  // CPU time since the start of the process, in ns, while measuring was on; kOther: of threads that had a
  // stage before. A stage that a thread is still at counts up to the last begin or end of a stage within it.
  uint64_t cpu_ns(Stage stage) const {
    return cpu_ns_[static_cast<size_t>(stage)].load(std::memory_order_relaxed);
  }

 private:
  friend class InStage;
  // Gives the CPU time since the calling thread's previous call to `stage`. A thread's first call of a round
  // only notes the time.
  void charge(Stage stage) {
    thread_local uint64_t noted_round = 0;
    thread_local uint64_t noted_ns = 0;
    const uint64_t now_ns = thread_cpu_ns();
    const uint64_t round = round_.load(std::memory_order_relaxed);
    if (std::exchange(noted_round, round) == round)
      cpu_ns_[static_cast<size_t>(stage)].fetch_add(now_ns - noted_ns, std::memory_order_relaxed);
    noted_ns = now_ns;
  }

  // Written by the threads that turn measuring on and off; read by all threads. Relaxed: a thread that sees
  // them late measures less.
  std::atomic<bool> is_on_{false};
  std::atomic<uint64_t> round_{0};  // how often measuring was turned on
  // Added to by all threads; relaxed, since each is independent of all other data.
  std::array<std::atomic<uint64_t>, kStageCount> cpu_ns_{};
};

inline constinit StageTimes stage_times;
inline constinit thread_local Stage thread_stage = Stage::kOther;  // of the calling thread

// The calling thread is at this stage during its lifetime, and at the previous one afterwards.
class InStage {
 public:
  explicit InStage(Stage stage) : before_(std::exchange(thread_stage, stage)) {
    if (stage_times.is_on()) [[unlikely]]
      stage_times.charge(before_);
  }
  ~InStage() {
    const Stage ended = std::exchange(thread_stage, before_);
    if (stage_times.is_on()) [[unlikely]]
      stage_times.charge(ended);
  }
  InStage(const InStage&) = delete;
  InStage& operator=(const InStage&) = delete;

 private:
  const Stage before_;
};

}  // namespace statmill

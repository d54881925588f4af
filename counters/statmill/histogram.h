// Histogram: the distribution of recorded values. Timer: records how long a scope takes.
//
//   static statmill::Histogram<> latency{"http.latency_ns", "Time to answer a request."};
//   statmill::Timer timer(latency);  // records when it goes out of scope
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "statmill/cells.h"
#include "statmill/exemplar.h"
#include "statmill/h2.h"
#include "statmill/instrument.h"

namespace statmill {

// The read side of a histogram, common to all sizes.
class AnyHistogram : public Instrument {
 public:
  unsigned grouping_power() const { return grouping_power_; }
  // The number of buckets; h2.h has their layout. The cells are, in this order: one per bucket, the sum of
  // all values, the number of values that were too large, and one per group of buckets (one power of two)
  // with its number of finished records. A record increments its bucket first, then adds to the sum, and
  // increments the finished records last: so a reader can detect records in progress.
  size_t bucket_count() const { return bucket_count_; }
  const Cells& cells() const { return cells_; }
  uint64_t sum() const noexcept { return cells_.sum(bucket_count_); }
  // The number of values >= 2^kMaxPower. They count in the last bucket, and in the sum as 2^kMaxPower - 1.
  uint64_t overflows() const noexcept { return cells_.sum(bucket_count_ + 1); }
  // The sum over all buckets, so that count and buckets always agree.
  uint64_t count() const;
  LargestExemplar& exemplar() noexcept { return exemplar_; }

 protected:
  void keep_exemplar(uint64_t value, std::string_view labels) noexcept {
    exemplar_.offer(value, labels);
    if (shared_at() != 0) share_exemplar(value, labels);
  }

  AnyHistogram(const char* name, const Help& help, Registry* registry, unsigned grouping_power,
               size_t bucket_count) noexcept
      : Instrument(name, help, Type::kHistogram, registry),
        grouping_power_(grouping_power),
        bucket_count_(bucket_count) {
    cells_.claim(bucket_count + 2 + (bucket_count >> grouping_power));
    join();
  }
  ~AnyHistogram() { leave(); }

  Cells cells_;

 private:
  void share_exemplar(uint64_t value, std::string_view labels) noexcept;

  const unsigned grouping_power_;
  const size_t bucket_count_;
  LargestExemplar exemplar_;
};

// Counts integers in [0, 2^kMaxPower) with a relative error of at most 2^-kGroupingPower (by default 3 %).
// Thread-safe and async-signal-safe. Memory: 8 bytes per bucket and CPU, by default at most 9 KiB per CPU;
// only touched pages use memory.
template <unsigned kGroupingPower = 5, unsigned kMaxPower = 40>
class Histogram final : public AnyHistogram {
  static_assert(kGroupingPower < kMaxPower && kMaxPower <= 64 && kGroupingPower <= 8);

 public:
  static constexpr size_t kBuckets = h2::bucket_count(kGroupingPower, kMaxPower);

  explicit Histogram(const char* name, const Help& help = {}, Registry* registry = nullptr) noexcept
      : AnyHistogram(name, help, registry, kGroupingPower, kBuckets) {}

  void record(uint64_t value) noexcept { record_n(value, 1); }
  // Also keeps the labels, such as "trace_id=4bf9", if the value is the largest since the last report
  // (exemplar.h), which sends them as an exemplar; and in a file of shared cells, if it is the largest of its
  // 10 s, which the agent sends. Cost with such a file: 10 ns more.
  void record_with(uint64_t value, std::string_view labels) noexcept {
    record(value);
    keep_exemplar(value, labels);
  }
  // Records the same value n times.
  void record_n(uint64_t value, uint64_t n) noexcept {
    size_t bucket = h2::index_of(kGroupingPower, value);
    if constexpr (kMaxPower < 64) {
      if (bucket >= kBuckets) [[unlikely]] {
        bucket = kBuckets - 1;
        value = (uint64_t{1} << kMaxPower) - 1;
        cells_.add(kBuckets + 1, n);
      }
    }
    cells_.add_to_both(bucket, n, kBuckets, value * n);
    cells_.add(kBuckets + 2 + (bucket >> kGroupingPower), n);
  }
};

// Records the nanoseconds from its construction to stop() or its destruction. Cost: two clock reads of 20 ns
// each.
template <class Histogram>
class Timer {
 public:
  explicit Timer(Histogram& histogram) noexcept : histogram_(histogram), start_(now()) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { stop(); }

  // Records the time so far and returns it in nanoseconds. Later calls record nothing and return 0.
  uint64_t stop() noexcept {
    if (start_ == kStopped) return 0;
    const uint64_t took = now() - start_;
    histogram_.record(took);
    start_ = kStopped;
    return took;
  }
  // The same with the labels of an exemplar (Histogram::record_with).
  uint64_t stop_with(std::string_view labels) noexcept {
    if (start_ == kStopped) return 0;
    const uint64_t took = now() - start_;
    histogram_.record_with(took, labels);
    start_ = kStopped;
    return took;
  }
  // Discards the measurement: nothing will be recorded.
  void forget() noexcept { start_ = kStopped; }

 private:
  static constexpr uint64_t kStopped = ~uint64_t{0};
  static uint64_t now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
  }

  Histogram& histogram_;
  uint64_t start_;
};

}  // namespace statmill

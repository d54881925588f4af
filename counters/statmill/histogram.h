// Histogram: how often which values were seen, and Timer, which records how long something took.
//
//   static statmill::Histogram<> latency{"http.latency_ns", "From the first byte of a request to the answer's
//   last."}; statmill::Timer timer(latency);
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>

#include "statmill/cells.h"
#include "statmill/h2.h"
#include "statmill/instrument.h"

namespace statmill {

// What can be asked of a histogram whatever its size.
class AnyHistogram : public Instrument {
 public:
  unsigned grouping_power() const { return grouping_power_; }
  // Buckets, see h2.h. Cells: one each, then the sum of all values, then the number of those that were too
  // great, then for each power of two (the buckets of one group) the number of finished records. A record
  // adds to its bucket first, then to the sum, and to the finished ones last: so a reading can tell whether
  // it met one halfway.
  size_t bucket_count() const { return bucket_count_; }
  const Cells& cells() const { return cells_; }
  uint64_t sum() const noexcept { return cells_.sum(bucket_count_); }
  // Values of 2^max power and more: in the last bucket, in the sum as 2^max power - 1, and here.
  uint64_t overflows() const noexcept { return cells_.sum(bucket_count_ + 1); }
  // Those of all buckets together, so that count and buckets never differ.
  uint64_t count() const;

 protected:
  AnyHistogram(const char* name, const char* help, Registry* registry, unsigned grouping_power,
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
  const unsigned grouping_power_;
  const size_t bucket_count_;
};

// Of whole numbers in [0, 2^kMaxPower), told apart to 2^-kGroupingPower. Thread-safe, and in signal handlers.
// 8 bytes for each bucket and CPU, of which only pages exist whose buckets were hit: at most 9 KiB by
// default.
template <unsigned kGroupingPower = 5, unsigned kMaxPower = 40>
class Histogram final : public AnyHistogram {
  static_assert(kGroupingPower < kMaxPower && kMaxPower <= 64 && kGroupingPower <= 8);

 public:
  static constexpr size_t kBuckets = h2::bucket_count(kGroupingPower, kMaxPower);

  explicit Histogram(const char* name, const char* help = "", Registry* registry = nullptr) noexcept
      : AnyHistogram(name, help, registry, kGroupingPower, kBuckets) {}

  void record(uint64_t value) noexcept { record_n(value, 1); }
  // The same value n times.
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

// Records the nanoseconds from its construction to its end, or to stop(). Cost: two looks at the clock, 20 ns
// each.
template <class Histogram>
class Timer {
 public:
  explicit Timer(Histogram& histogram) noexcept : histogram_(histogram), start_(now()) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { stop(); }

  // Records now; after that nothing. The nanoseconds.
  uint64_t stop() noexcept {
    if (start_ == kStopped) return 0;
    const uint64_t took = now() - start_;
    histogram_.record(took);
    start_ = kStopped;
    return took;
  }
  // Records nothing.
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

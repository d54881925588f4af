// Workloads of the suite `storage`: the buckets of the finest tier that the series of each measure hold.
//
//   mix       6 equal classes of single samples, by series % 6: a walk of 2 decimals (steps of sd 0.25),
//   noise of
//             2 decimals (sd 5 around 100), Poisson(20), a counter (+1000, sd 60), a constant that steps once
//             in 300 slots, a CPU % of 1 decimal (a walk in 0..100, steps of sd 1.5)
//   multi10   10 samples of 2 decimals each slot, the walk of `mix` going on from sample to sample
//   latency   15 to 24 samples of 3 decimals each slot, lognormal around 10 (sigma 0.5)
//   events    an event series: Poisson events each slot, about 20 % of the slots silent
//   doubles   one sample each slot, the walk of `mix` sent with 17 digits, as parsed from that text
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "storage/bucket.h"

namespace statmill {

enum class StorageWorkload : uint8_t { kMix, kMulti10, kLatency, kEvents, kDoubles };

inline constexpr std::array<StorageWorkload, 5> kStorageWorkloads = {
    StorageWorkload::kMix, StorageWorkload::kMulti10, StorageWorkload::kLatency, StorageWorkload::kEvents,
    StorageWorkload::kDoubles};

inline constexpr size_t kMixClasses = 6;

// "mix", "multi10", ...
std::string_view workload_name(StorageWorkload workload);
Kind workload_kind(StorageWorkload workload);

// The buckets of all series of a workload. They depend only on the number of the series, not on the order of
// calls. Confined to one thread.
class StorageValues {
 public:
  StorageValues(StorageWorkload workload, size_t series);

  size_t series() const { return series_.size(); }
  // Returns the bucket of the series' next slot; empty if the slot has no sample. Cost: 10 to 500 ns.
  Bucket next(size_t series);

 private:
  // SplitMix64 (Steele, Lea and Flood 2014). Its state is eight bytes, so each series can have a generator.
  struct Random {
    using result_type = uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return UINT64_MAX; }
    result_type operator()();

    uint64_t state = 0;
  };
  struct Series {
    Random random;
    int64_t units = 0;  // the present value of a walk, counter or constant, at its scale
    double real = 0;    // the present value of a walk of doubles
  };

  Bucket mix(size_t series);
  Bucket walk(Series& s);
  Bucket multi10(Series& s);
  Bucket latency(Series& s);
  Bucket doubles(Series& s);

  const StorageWorkload workload_;
  std::vector<Series> series_;
};

}  // namespace statmill

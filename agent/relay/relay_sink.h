// RelaySink: holds the samples of a host's programs until the next hand-over, either aggregated or unchanged.
//
// Each accepted sample is handed over exactly once, and the server computes the same buckets as from the
// original samples: what a line cannot express exactly is passed on without aggregation.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "agent/relay/host_names.h"
#include "agent/relay/line_chunks.h"
#include "agent/relay/second_sums.h"
#include "base/mutex.h"
#include "base/verdict.h"
#include "ingest/sample_sink.h"
#include "statmill/registry.h"

namespace statmill {

struct RelaySinkOptions {
  Duration aggregate{1000};  // --relay.aggregate: samples are aggregated for this long; 0: never
  // --relay.bytes: half for waiting samples, half for those being handed over
  size_t bytes_max = size_t{16} << 20;
  HostNames names{};  // --relay.tags, --relay.caret
};

// Thread-safe, except that only one thread may call drain().
class RelaySink final : public SampleSink {
 public:
  static constexpr Duration kDrainInterval{1000};                   // how often drain() should be called
  static constexpr Duration kUnitInterval = std::chrono::hours(1);  // how often the unit of timers is sent
  static constexpr size_t kUnitsMax = 100'000;                      // paths whose unit is sent

  using BatchSink = std::function<void(LineBatch)>;
  enum class Which : uint8_t { kDue, kAll };

  // `registry` must outlive the sink. `wake` is called on any thread, without a lock, when so much is waiting
  // that drain() should be called soon; then not again until the next drain().
  RelaySink(RelaySinkOptions options, Registry& registry, std::function<void()> wake);

  // Samples without a time get `now`. Refuses samples and families with memory_limit above bytes_max, and
  // with the reasons of HostNames.
  uint64_t apply(Batch& batch, Timestamp now) override;

  // Hands over unaggregated samples, and sums whose interval is over (kDue) or all sums (kAll), in batches
  // limited by LineChunks.
  void drain(Which which, SteadyTime now, const BatchSink& sink);

 private:
  // Require: the sample has a time.
  Verdict<Refusal> pass_on(const Sample& sample) REQUIRES(mutex_);
  Verdict<Refusal> add_up(const Sample& sample, uint64_t hash) REQUIRES(mutex_);
  Verdict<Refusal> make_sum(const SecondSums::Key& key, const Sample& sample, uint64_t weight)
      REQUIRES(mutex_);
  // Moves the sum, which cannot hold another sample, to the lines.
  Verdict<Refusal> end_sum(const SecondSums::Sum& sum) REQUIRES(mutex_);
  Verdict<Refusal> add_family(const FamilyText& family) REQUIRES(mutex_);
  // Adds a line for the family of a sample in milliseconds, whose line would not say so; once per hour.
  void add_ms(const Sample& sample) REQUIRES(mutex_);
  void add_exemplar(const Exemplar& exemplar) REQUIRES(mutex_);
  // Adds a line for each name of the sample, if there is room.
  Verdict<Refusal> add_lines(const Sample& sample) REQUIRES(mutex_);
  bool has_room(size_t growth) const REQUIRES(mutex_) {
    return sums_.memory_bytes() + chunks_.memory_bytes() + exemplars_.memory_bytes() + growth <= bytes_max_;
  }
  bool is_much() const REQUIRES(mutex_) { return are_many_sums() || chunks_.memory_bytes() > bytes_max_ / 4; }
  bool are_many_sums() const REQUIRES(mutex_) { return sums_.used_bytes() > bytes_max_ / 2; }
  void hand_over_sums(const BatchSink& sink);
  void hand_over_batches(std::vector<LineBatch> batches, const BatchSink& sink);

  const RelaySinkOptions options_;
  const size_t bytes_max_;  // limit for waiting samples
  const std::function<void()> wake_;
  Counter& handed_over_;
  Counter& lines_;
  Counter& exemplars_dropped_;
  Mutex mutex_;
  SecondSums sums_ GUARDED_BY(mutex_);
  LineChunks chunks_ GUARDED_BY(mutex_);
  LineChunks exemplars_ GUARDED_BY(mutex_);        // their lines, which wait for the sums
  uint64_t chunk_samples_ GUARDED_BY(mutex_) = 0;  // how many samples the lines contain
  // Paths whose unit has been handed over as ms since ms_begun_. Those of further paths are handed over
  // later.
  std::unordered_set<uint64_t> ms_paths_ GUARDED_BY(mutex_);
  SteadyTime ms_begun_ GUARDED_BY(mutex_){};
  bool is_woken_ GUARDED_BY(mutex_) = false;
  Batch scratch_ GUARDED_BY(mutex_);  // owns the names
  std::vector<std::string_view> names_ GUARDED_BY(mutex_);
  SecondSums draining_;      // used only by drain(): empty except for its memory
  SteadyTime sums_begun_{};  // used only by drain(): when the current aggregation began
};

}  // namespace statmill

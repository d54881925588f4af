// RelaySink: where the samples of a host's programs wait in an agent for the next hand-over, added up or as
// they came.
//
// What is accepted is handed over, each sample exactly once, and the server makes of it the buckets that the
// samples themselves would have made: what a line cannot say exactly is not added up but passed on.
#pragma once

#include <functional>
#include <vector>

#include "agent/relay/host_names.h"
#include "agent/relay/line_chunks.h"
#include "agent/relay/second_sums.h"
#include "base/mutex.h"
#include "ingest/sample_sink.h"
#include "statmill/registry.h"

namespace statmill {

struct RelaySinkOptions {
  Duration aggregate{1000};             // --relay.aggregate: samples are added up for so long; 0: not at all
  size_t bytes_max = size_t{16} << 20;  // --relay.bytes: half for what waits, half for what is handed over
  HostNames names{};                    // --relay.tags, --relay.caret
};

// Thread-safe; take() is one thread's.
class RelaySink final : public SampleSink {
 public:
  static constexpr Duration kTakeInterval{1000};  // how often take() is meant to be called

  using HandOver = std::function<void(LineBatch)>;
  enum class Which : uint8_t { kDue, kAll };

  // `registry` must outlive it. `wake` is called on any thread, without a lock, when so much is waiting that
  // it should be taken soon: once until the next take().
  RelaySink(RelaySinkOptions options, Registry& registry, std::function<void()> wake);

  // Samples without a time are of `now`. Refused: memory_limit over bytes_max, and what HostNames refuses.
  uint64_t apply(Batch& batch, Timestamp now) override;

  // Hands over what was passed on and what was added up for long enough, or everything, in batches of
  // LineChunks' size.
  void take(Which which, SteadyTime now, const HandOver& hand_over);

 private:
  // How a sample, which has a time, fares; none: it is taken.
  std::optional<Refusal> pass_on(const Sample& sample) REQUIRES(mutex_);
  std::optional<Refusal> add_up(const Sample& sample, uint64_t hash) REQUIRES(mutex_);
  std::optional<Refusal> make_sum(const SecondSums::Key& key, const Sample& sample, uint64_t weight)
      REQUIRES(mutex_);
  // The sum cannot hold one more: it goes to the lines.
  std::optional<Refusal> end_sum(const SecondSums::Sum& sum) REQUIRES(mutex_);
  // A line for each name of the sample, if there is room.
  std::optional<Refusal> add_lines(const Sample& sample) REQUIRES(mutex_);
  bool has_room(size_t growth) const REQUIRES(mutex_) {
    return sums_.memory_bytes() + chunks_.memory_bytes() + growth <= bytes_max_;
  }
  bool is_much() const REQUIRES(mutex_) { return are_many_sums() || chunks_.memory_bytes() > bytes_max_ / 4; }
  bool are_many_sums() const REQUIRES(mutex_) { return sums_.used_bytes() > bytes_max_ / 2; }
  void hand_over_sums(const HandOver& hand_over);
  void hand_over_batches(std::vector<LineBatch> batches, const HandOver& hand_over);

  const RelaySinkOptions options_;
  const size_t bytes_max_;  // of what waits
  const std::function<void()> wake_;
  Counter& handed_over_;
  Counter& lines_;
  Mutex mutex_;
  SecondSums sums_ GUARDED_BY(mutex_);
  LineChunks chunks_ GUARDED_BY(mutex_);
  uint64_t chunk_samples_ GUARDED_BY(mutex_) = 0;  // what the lines are of
  bool is_woken_ GUARDED_BY(mutex_) = false;
  Batch scratch_ GUARDED_BY(mutex_);  // keeps names
  std::vector<std::string_view> names_ GUARDED_BY(mutex_);
  SecondSums handed_;   // take()'s: empty but for its memory
  SteadyTime begun_{};  // likewise: since when samples are added up
};

}  // namespace statmill

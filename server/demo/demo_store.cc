#include "server/demo/demo_store.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "server/demo/demo_boots.h"
#include "storage/activity.h"

namespace statmill {
namespace {

class DemoSnapshot final : public StoreSnapshot {
 public:
  DemoSnapshot(std::unique_ptr<StoreSnapshot> below, const PastChunks& past, FrameCache& cache)
      : below_(std::move(below)), past_(past), cache_(cache) {}

  Result<TickNo> last_tick() override { return below_->last_tick(); }
  Result<TickNo> flushed_tick(ShardNo shard) override { return below_->flushed_tick(shard); }
  Result<RollupPosition> rollup_position() override { return below_->rollup_position(); }
  Result<std::optional<ClockRow>> clock() override { return below_->clock(); }
  Result<std::optional<WholeRow>> whole() override { return below_->whole(); }
  Result<std::optional<HashSecret>> hash_secret() override { return below_->hash_secret(); }
  Result<AgentRows> agents() override { return below_->agents(); }
  Result<FamilyRows> families() override { return below_->families(); }
  Result<DocumentRows> documents() override { return below_->documents(); }
  Status values(const std::function<Status(TickNo, std::string_view)>& visit) override {
    return below_->values(visit);
  }
  Result<uint64_t> exemplars(const ExemplarRange& range,
                             const std::function<bool(const ExemplarRow&)>& visit) override {
    return below_->exemplars(range, visit);
  }
  ChunkNo floor(TierNo tier) override { return below_->floor(tier); }

  Result<std::string> chunk(const ChunkKey& key) override {
    Result<std::string> newer = below_->chunk(key);
    if (!newer || !is_past(key)) return newer;
    return *past(key) + *newer;
  }

  Status chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                const std::function<void(size_t position, std::string_view frames)>& visit) override {
    std::map<size_t, std::string> newer;  // frames of the ids that have a past too, by position
    Status read = below_->chunks(tier, chunk, ids, [&](size_t position, std::string_view frames) {
      if (is_past({tier, chunk, ids[position]})) {
        newer[position] = frames;
      } else {
        visit(position, frames);
      }
    });
    if (!read) return read;
    for (size_t i = 0; i < ids.size() && is_past({tier, chunk, ids[i]}); ++i) {
      const auto older = past({tier, chunk, ids[i]});
      const auto found = newer.find(i);
      if (found != newer.end()) {
        visit(i, *older + found->second);
      } else if (!older->empty()) {
        visit(i, *older);
      }
    }
    return Status::ok();
  }

  Status scan(TierNo tier, ChunkNo chunk, SeriesId first,
              const std::function<bool(SeriesId, std::string_view frames)>& visit) override {
    SeriesId next = first;  // the first id of the past that was not visited yet
    bool goes_on = true;
    const auto visit_past_below = [&](SeriesId end) {
      for (; goes_on && next < end && is_past({tier, chunk, next}); ++next) {
        const auto older = past({tier, chunk, next});
        if (!older->empty()) goes_on = visit(next, *older);
      }
      return goes_on;
    };
    Status scanned = below_->scan(tier, chunk, first, [&](SeriesId id, std::string_view frames) {
      if (!visit_past_below(id)) return false;
      const ChunkKey key{tier, chunk, id};
      goes_on = is_past(key) ? visit(id, *past(key) + std::string(frames)) : visit(id, frames);
      next = std::max(next, id + 1);
      return goes_on;
    });
    if (scanned) visit_past_below(past_.count());
    return scanned;
  }

  Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) override {
    const ChunkNo oldest = std::max(past_.first(tier), floor(tier));
    if (is_past({tier, oldest, 0})) return std::optional(oldest);
    return below_->oldest_chunk(tier);
  }

 private:
  // Returns true if the past may have the chunk. Ascends with the id: false from the first later id on.
  bool is_past(const ChunkKey& key) {
    return past_.has(key.tier) && key.id < past_.count() &&
           key.chunk >= std::max(past_.first(key.tier), floor(key.tier)) && key.chunk <= past_.last(key.tier);
  }
  std::shared_ptr<const std::string> past(const ChunkKey& key) {
    if (auto found = cache_.find(key)) return found;
    return cache_.add(key, past_.frames(key));
  }

  const std::unique_ptr<StoreSnapshot> below_;
  const PastChunks& past_;
  FrameCache& cache_;
};

}  // namespace

Status DemoStore::write_names(const DemoWorld& world, const Retention& retention) {
  StoreBatch batch;
  std::vector<SeriesActivity> activity;
  const Tier& finest = tiers().finest();
  for (SeriesId id = 0; id < past_.count(); ++id) {
    const DemoSeries& series = world.series()[id];
    batch.series.push_back({id, series.kind(), series.name});
    batch.series.back().is_detailed = retention.tiers(retention.class_of(series.name)).keep_detail();
    const int64_t last_s = std::min(series.end_s, past_.end() * finest.step_s) - 1;
    const int64_t first_s = std::max(series.begin_s, world.begin_s());
    if (first_s <= last_s) activity.push_back({id, finest.slot_of(first_s), finest.slot_of(last_s)});
  }
  // Which shard's row has the activity of a series does not matter.
  batch.flushed.push_back({0, 0, encode_activity(std::move(activity))});
  batch.rollup_position = RollupPosition{past_.open_chunk(), 0};
  batch.agents = demo_agents_before(world.fleet(), world.start_s());
  return below_.write(batch);
}

std::unique_ptr<StoreSnapshot> DemoStore::snapshot() {
  return std::make_unique<DemoSnapshot>(below_.snapshot(), past_, cache_);
}

// The past of its series never leaves the demo.
Result<std::optional<TierChunk>> DemoStore::remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                                        const std::atomic<bool>& cancelled) {
  ids.erase(ids.begin(), std::lower_bound(ids.begin(), ids.end(), past_.count()));
  return below_.remove_used(ids, from, cancelled);
}

StoreStats DemoStore::stats() {
  StoreStats stats = below_.stats();
  stats.memory_bytes += cache_.bytes();
  return stats;
}

}  // namespace statmill

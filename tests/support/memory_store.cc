#include "tests/support/memory_store.h"

#include <algorithm>

#include "base/check.h"
#include "storage/codec/codec.h"

namespace statmill {

class MemorySnapshot final : public StoreSnapshot {
 public:
  explicit MemorySnapshot(MemoryStore& store) : store_(store), pinned_(store.pin()) {}
  ~MemorySnapshot() override { store_.unpin(pinned_); }
  MemorySnapshot(const MemorySnapshot&) = delete;
  MemorySnapshot& operator=(const MemorySnapshot&) = delete;

  Result<TickNo> last_tick() override { return content().tick; }

  Result<TickNo> flushed_tick(ShardNo shard) override { return content().flushed[shard].tick; }

  Result<RollupPosition> rollup_position() override { return content().rollup_position; }

  Result<std::optional<ClockRow>> clock() override { return content().clock; }
  Result<std::optional<WholeRow>> whole() override { return content().whole; }
  Result<std::optional<HashSecret>> hash_secret() override { return content().hash_secret; }

  Result<AgentRows> agents() override {
    AgentRows agents;
    for (const auto& [id, row] : content().agents) agents.rows.push_back(row);
    agents.forgotten_until = content().forgotten_until;
    return agents;
  }

  Result<FamilyRows> families() override {
    FamilyRows families;
    for (const auto& [key, row] : content().families) families.rows.push_back(row);
    return families;
  }

  Result<DocumentRows> documents() override {
    DocumentRows documents;
    for (const auto& [key, row] : content().documents) documents.rows.push_back(row);
    return documents;
  }

  Status values(const std::function<Status(TickNo, std::string_view)>& visit) override {
    for (const auto& [tick, row] : content().values) {
      if (Status status = visit(tick, row); !status) return status;
    }
    return Status::ok();
  }

  Result<uint64_t> exemplars(const ExemplarRange& range,
                             const std::function<bool(const ExemplarRow&)>& visit) override {
    const auto& all = content().exemplars;
    const auto end = all.lower_bound({range.id, range.end});
    const Slot begin = std::max(range.begin, Slot{floor(0)} * store_.tiers().finest().chunk_slots);
    if (begin >= range.end) return uint64_t{0};
    for (auto row = all.lower_bound({range.id, begin}); row != end && visit(row->second);) ++row;
    return uint64_t{0};
  }

  Result<std::string> chunk(const ChunkKey& key) override {
    SM_CHECK(key.tier < store_.tiers().stored_count());
    if (key.chunk < floor(key.tier)) return std::string();
    const auto row = content().chunks.find(key);
    return row == content().chunks.end() ? std::string() : row->second;
  }

  Status chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                const std::function<void(size_t position, std::string_view frames)>& visit) override {
    SM_CHECK(tier < store_.tiers().stored_count());
    SM_CHECK(std::is_sorted(ids.begin(), ids.end()));
    for (size_t i = 0; i < ids.size() && chunk >= floor(tier); ++i) {
      const auto row = content().chunks.find({tier, chunk, ids[i]});
      if (row != content().chunks.end()) visit(i, row->second);
    }
    return Status::ok();
  }

  Status scan(TierNo tier, ChunkNo chunk, SeriesId first,
              const std::function<bool(SeriesId, std::string_view frames)>& visit) override {
    SM_CHECK(tier < store_.tiers().stored_count());
    if (chunk < floor(tier)) return Status::ok();
    for (auto row = content().chunks.lower_bound({tier, chunk, first}); row != content().chunks.end();
         ++row) {
      if (row->first.tier != tier || row->first.chunk != chunk || !visit(row->first.id, row->second)) break;
    }
    return Status::ok();
  }

  ChunkNo floor(TierNo tier) override { return content().floors[tier]; }

  Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) override {
    SM_CHECK(tier < store_.tiers().stored_count());
    const auto row = content().chunks.lower_bound({tier, floor(tier), 0});
    if (row == content().chunks.end() || row->first.tier != tier) return std::optional<ChunkNo>();
    return std::optional<ChunkNo>(row->first.chunk);
  }

  Status load(const LoadVisitor& visitor) const {
    for (size_t shard = 0; shard < content().flushed.size(); ++shard) {
      const auto& [tick, activity] = content().flushed[shard];
      if (Status status = visitor.shard(static_cast<ShardNo>(shard), tick, activity); !status) return status;
    }
    for (const auto& [id, series] : content().series) {
      if (Status status = series ? visitor.series(*series) : visitor.deleted(id); !status) return status;
    }
    TickNo lowest = content().flushed[0].tick;
    for (const auto& flushed : content().flushed) lowest = std::min(lowest, flushed.tick);
    for (const auto& [tick, row] : content().journal) {
      if (tick <= lowest) continue;
      if (Status status = visitor.journal(tick, row); !status) return status;
    }
    return Status::ok();
  }

 private:
  const MemoryStore::Content& content() const { return *pinned_.content; }

  MemoryStore& store_;
  MemoryStore::Pinned pinned_;
};

MemoryStore::MemoryStore(const Tiers& tiers) : tiers_(tiers), content_(std::make_shared<Content>()) {}

void MemoryStore::fail_next_write(Error error, Effect effect) {
  MutexLock lock(mutex_);
  failure_ = std::move(error);
  effect_ = effect;
}

Status MemoryStore::write(const StoreBatch& batch) {
  if (batch.is_empty()) return Status::ok();
  MutexLock lock(mutex_);
  std::optional<Error> failure = std::exchange(failure_, std::nullopt);
  if (failure && effect_ == Effect::kNone) return std::move(*failure);
  if (batch.tick == 0 || batch.tick != content_->tick) apply(batch);
  return failure ? Status(std::move(*failure)) : Status::ok();
}

void MemoryStore::apply(const StoreBatch& batch) {
  Content& content = writable();
  SM_CHECK(batch.tick == 0 || batch.tick > content.tick);
  if (batch.tick != 0) content.tick = batch.tick;
  for (const SeriesRow& series : batch.series) content.series[series.id] = series;
  for (const SeriesId id : batch.deleted) content.series[id].reset();
  for (const StoreBatch::Row& row : batch.journal) content.journal[row.tick] = row.bytes;
  for (const StoreBatch::Fragment& fragment : batch.fragments) {
    SM_CHECK(fragment.key.tier < tiers_.stored_count());
    append_frames(content.chunks[fragment.key], fragment.key, fragment.frames);
  }
  for (const StoreBatch::Flushed& flushed : batch.flushed) {
    content.flushed[flushed.shard] = {flushed.tick, flushed.activity};
  }
  for (const AgentRow& row : batch.agents) content.agents[row.id] = row;
  for (const AgentId& id : batch.forgotten_agents) content.agents.erase(id);
  for (const FamilyRow& row : batch.families) content.families[row.key] = row;
  for (const FamilyKey& key : batch.removed_families) content.families.erase(key);
  for (const DocumentRow& row : batch.documents) content.documents[row.key] = row;
  for (const DocumentKey& key : batch.removed_documents) content.documents.erase(key);
  for (const StoreBatch::Row& row : batch.values) content.values[row.tick] = row.bytes;
  for (const ExemplarRow& row : batch.exemplars) {
    const auto [known, is_new] = content.exemplars.try_emplace(row.key, row);
    if (!is_new && is_larger(row, known->second)) known->second = row;
  }
  for (const ExemplarRange& range : batch.removed_exemplars)
    content.exemplars.erase(content.exemplars.lower_bound({range.id, range.begin}),
                            content.exemplars.lower_bound({range.id, range.end}));
  if (batch.values_trim) {
    content.values.erase(content.values.lower_bound(batch.values_trim->begin),
                         content.values.lower_bound(batch.values_trim->end));
  }
  if (batch.forgotten_until) content.forgotten_until = batch.forgotten_until;
  if (batch.rollup_position) content.rollup_position = *batch.rollup_position;
  if (batch.clock) content.clock = batch.clock;
  if (batch.whole) content.whole = batch.whole;
  if (batch.hash_secret) content.hash_secret = batch.hash_secret;
  if (batch.journal_trim) {
    content.journal.erase(content.journal.begin(), content.journal.lower_bound(batch.journal_trim->end));
  }
}

MemoryStore::Backup MemoryStore::backup() {
  MutexLock lock(mutex_);
  return Backup(std::make_shared<Content>(*content_));
}

void MemoryStore::restore(const Backup& backup) {
  MutexLock lock(mutex_);
  content_ = std::make_shared<Content>(*backup.content_);
  failure_.reset();
  load_floors();
}

std::unique_ptr<StoreSnapshot> MemoryStore::snapshot() { return std::make_unique<MemorySnapshot>(*this); }

Status MemoryStore::load(const LoadVisitor& visitor) { return MemorySnapshot(*this).load(visitor); }

void MemoryStore::restart() {
  MutexLock lock(mutex_);
  load_floors();
}

void MemoryStore::load_floors() {
  expiry_ = std::make_unique<Expiry>();
  for (TierNo t = 0; t < tiers_.stored_count(); ++t) {
    expiry_->set_floor(t, content_->floors[t]);
    expiry_->set_dropped(t, content_->dropped[t]);
  }
}

Result<uint64_t> MemoryStore::expire(TierNo tier, ChunkNo chunk) {
  SM_CHECK(tier < tiers_.stored_count());
  MutexLock lock(mutex_);
  Content& content = writable();
  if (chunk <= content.floors[tier]) return uint64_t{0};
  uint64_t bytes = 0;
  for (auto row = content.chunks.lower_bound({tier, content.floors[tier], 0});
       row != content.chunks.end() && row->first < ChunkKey{tier, chunk, 0}; ++row) {
    bytes += row->second.size();
  }
  content.floors[tier] = chunk;
  content.dropped[tier] = std::max(content.dropped[tier], chunk);
  expiry_->set_floor(tier, chunk);
  return bytes;
}

Status MemoryStore::keep_from(TierNo tier, ChunkNo chunk) {
  SM_CHECK(tier < tiers_.stored_count());
  MutexLock lock(mutex_);
  if (chunk >= content_->floors[tier]) return Status::ok();
  writable().floors[tier] = chunk;
  expiry_->set_floor(tier, chunk);
  return Status::ok();
}

Result<bool> MemoryStore::reclaim(std::atomic<bool>& cancelled) {
  if (cancelled) return false;
  MutexLock lock(mutex_);
  std::erase_if(writable().exemplars, [&](const auto& row) {
    const auto chunk = static_cast<ChunkNo>(row.first.slot / tiers_.finest().chunk_slots);
    return expiry_->is_expired({0, chunk, row.first.id});
  });
  expired_rows_ +=
      std::erase_if(writable().chunks, [&](const auto& row) { return expiry_->is_expired(row.first); });
  return false;
}

uint64_t MemoryStore::moment() {
  MutexLock lock(mutex_);
  return snapshots_made_;
}

bool MemoryStore::has_snapshot_before(uint64_t moment) {
  MutexLock lock(mutex_);
  return !snapshots_.empty() && *snapshots_.begin() < moment;
}

Result<std::optional<TierChunk>> MemoryStore::remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                                          const std::atomic<bool>& cancelled) {
  SM_CHECK(std::is_sorted(ids.begin(), ids.end()));
  if (cancelled) return Error{ErrorCode::kUnavailable, "cancelled"};
  MutexLock lock(mutex_);
  auto row = content_->chunks.lower_bound({from.tier, from.chunk, 0});
  if (row == content_->chunks.end()) return std::optional<TierChunk>();
  const TierChunk place{row->first.tier, row->first.chunk};
  std::set<SeriesId> used;
  for (; row != content_->chunks.end() && TierChunk{row->first.tier, row->first.chunk} == place; ++row)
    used.insert(row->first.id);
  std::erase_if(ids, [&](SeriesId id) { return used.contains(id); });
  return std::optional(next_tier_chunk(place));
}

StoreStats MemoryStore::stats() {
  MutexLock lock(mutex_);
  StoreStats stats;
  stats.expired_rows = expired_rows_;
  for (const auto& [key, row] : content_->journal) stats.memory_bytes += row.size();
  for (const auto& [key, frames] : content_->chunks) stats.memory_bytes += frames.size();
  return stats;
}

MemoryStore::Content& MemoryStore::writable() {
  if (content_.use_count() > 1) content_ = std::make_shared<Content>(*content_);
  return *content_;
}

MemoryStore::Pinned MemoryStore::pin() {
  MutexLock lock(mutex_);
  snapshots_.insert(snapshots_made_);
  return {content_, snapshots_made_++};
}

void MemoryStore::unpin(Pinned& pinned) {
  MutexLock lock(mutex_);
  snapshots_.erase(pinned.number);
  pinned.content.reset();
}

}  // namespace statmill

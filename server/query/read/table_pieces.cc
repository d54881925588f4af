// Invariant B: the copies of the RAM pieces are made before the snapshot. So the snapshot has everything that
// had left RAM by then; if it has more, a flush came between, and the copies are made again.
#include "server/query/read/table_pieces.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

#include "proto/host_presence.h"
#include "server/names/name_labels.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {
namespace {

class TableView final : public SeriesView {
 public:
  TableView(const Table& table, Store& store, ColumnCache* cache)
      : table_(table), tiers_(table.tiers()), expiry_(store.expiry()), cache_(cache) {}

  // Copies the RAM pieces. Returns false if a series is not in the table any more.
  bool copy(std::span<const SeriesRef> series, bool histograms) {
    of_.clear();
    of_.reserve(series.size());
    for (const SeriesRef& ref : series) {
      auto pieces = table_.pieces(ref.name, histograms);
      if (!pieces || pieces->id != ref.id) return false;
      Copied& of = of_.emplace_back();
      if (pieces->kind == Kind::kEvent) of.facts.host = tag_of_name(ref.name, kHostTag);
      of.pieces = *std::move(pieces);
      of.retention = expiry_.class_of(ref.id);
    }
    return true;
  }

  // Returns false if a flush came between copy() and the snapshot.
  Result<bool> take(std::unique_ptr<StoreSnapshot> snapshot) {
    snapshot_ = std::move(snapshot);
    std::bitset<kShardCount> known;
    std::array<TickNo, kShardCount> flushed{};
    for (Copied& of : of_) {
      const ShardNo shard = of.pieces.shard;
      if (!known[shard]) {
        const auto tick = snapshot_->flushed_tick(shard);
        if (!tick) return tick.error();
        flushed[shard] = *tick;
        known.set(shard);
      }
      of.is_flushed = of.pieces.flushing_tick != 0 && flushed[shard] == of.pieces.flushing_tick;
      if (flushed[shard] != of.pieces.flushed_tick && !of.is_flushed) return false;
    }
    const auto position = snapshot_->rollup_position();
    if (!position) return position.error();
    for (Copied& of : of_) set_facts(of, *position);
    return true;
  }

  size_t size() const override { return of_.size(); }
  const SeriesFacts& facts(size_t series) const override { return of_[series].facts; }
  ColumnCache* cache() const override { return cache_; }

  Status chunks(TierNo tier, ChunkNo chunk, std::span<const size_t> series, const UseFrames& use) override {
    std::vector<std::pair<SeriesId, size_t>> wanted;
    wanted.reserve(series.size());
    for (const size_t i : series) wanted.emplace_back(of_[i].pieces.id, i);
    std::sort(wanted.begin(), wanted.end());
    std::vector<SeriesId> ids;
    ids.reserve(series.size());
    for (const auto& [id, i] : wanted) ids.push_back(id);
    return snapshot_->chunks(tier, chunk, ids, [&](size_t position, std::string_view frames) {
      use(wanted[position].second, frames);
    });
  }

  void erase(size_t series, TierNo tier, SlotColumns& columns) const override {
    const Copied& of = of_[series];
    const SlotRange& erased = of.pieces.erased;
    if (of.is_flushed || erased.begin >= erased.end) return;
    if (tiers_.is_detail(tier)) return of.pieces.erase(columns, SlotUnit::detail(tiers_));
    const int64_t ratio = tiers_[tier].step_s / tiers_.finest().step_s;
    const Slot begin = std::max((erased.begin + ratio - 1) / ratio, columns.begin);
    const Slot end = std::min((erased.end + ratio - 1) / ratio, columns.end());
    if (begin >= end) return;
    columns.erase(static_cast<size_t>(begin - columns.begin), static_cast<size_t>(end - columns.begin));
  }

  void add_ram(size_t series, TierNo tier, SlotColumns& columns) const override {
    const Copied& of = of_[series];
    const SlotUnit unit = tier == 0 ? SlotUnit::finest(tiers_) : SlotUnit::detail(tiers_);
    if (!of.is_flushed) of.pieces.add_flushing(columns, unit);
    of.pieces.add_unflushed(columns, unit);
  }

  RamSlots ram_slots(size_t series) const override {
    const Copied& of = of_[series];
    SeriesPieces::Lists lists = of.pieces.lists(tiers_, !of.is_flushed);
    return {std::move(lists.buckets), std::move(lists.histograms)};
  }

  bool is_valid(size_t series) const override {
    return expiry_.class_of(of_[series].pieces.id) == of_[series].retention;
  }

 private:
  struct Copied {
    SeriesPieces pieces;
    SeriesFacts facts;
    RetentionClass retention = kDefaultRetention;  // in the store, before the snapshot
    bool is_flushed = false;  // the snapshot has what was being flushed, and nothing is left to erase
  };

  void set_facts(Copied& of, const RollupPosition& position) const {
    const SeriesPieces& pieces = of.pieces;
    SeriesFacts& facts = of.facts;
    facts = {pieces.id, pieces.kind,    pieces.retention,    pieces.first_slot,    pieces.last_slot,
             -1,        position.chunk, pieces.joined_power, std::move(facts.host)};
    if (pieces.id < position.id) ++facts.rolled;
    facts.ram_slot = pieces.oldest_slot(tiers_, !of.is_flushed);
  }

  const Table& table_;
  const Tiers& tiers_;
  const Expiry& expiry_;
  ColumnCache* const cache_;
  std::vector<Copied> of_;
  std::unique_ptr<StoreSnapshot> snapshot_;
};

}  // namespace

std::optional<int64_t> TablePieces::end_ms(std::string_view name) const { return table_.ends().of(name); }

Result<std::unique_ptr<SeriesView>> TablePieces::view(std::span<const SeriesRef> series, bool histograms) {
  // A shard is flushed every few seconds, so even a second try is rare.
  constexpr int kTriesMax = 1000;
  auto view = std::make_unique<TableView>(table_, store_, cache_);
  for (int i = 0; i < kTriesMax; ++i) {
    if (!view->copy(series, histograms))
      return Error{ErrorCode::kBusy, "series kept being deleted or renamed"};
    const auto consistent = view->take(store_.snapshot());
    if (!consistent) return consistent.error();
    if (*consistent) return std::unique_ptr<SeriesView>(std::move(view));
  }
  return Error{ErrorCode::kBusy, "flushes kept overtaking the query"};
}

}  // namespace statmill

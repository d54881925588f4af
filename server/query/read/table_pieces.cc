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
      : table_(table), expiry_(store.expiry()), cache_(cache) {}

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

  void erase(size_t series, int64_t ratio, SlotColumns& columns) const override {
    const Copied& of = of_[series];
    const SlotRange& erased = of.pieces.erased;
    if (of.is_flushed || erased.begin >= erased.end) return;
    const Slot begin = std::max((erased.begin + ratio - 1) / ratio, columns.begin);
    const Slot end = std::min((erased.end + ratio - 1) / ratio, columns.end());
    if (begin >= end) return;
    columns.erase(static_cast<size_t>(begin - columns.begin), static_cast<size_t>(end - columns.begin));
  }

  void add_ram(size_t series, SlotColumns& columns) const override {
    const Copied& of = of_[series];
    const SeriesPieces& pieces = of.pieces;
    if (!of.is_flushed) {
      pieces.flushing.add_to(columns, pieces.combine());
      erase(series, 1, columns);
    }
    pieces.pending.add_to(columns, pieces.combine());
    for (const SeriesPieces::Delta& delta : pieces.deltas) {
      for (const SlotBucket& b : delta.buckets) {
        if (b.slot >= columns.begin && b.slot < columns.end())
          columns.add(static_cast<size_t>(b.slot - columns.begin), b.bucket, pieces.combine());
      }
      if (!columns.parts.histograms) continue;
      std::vector<SlotHistogram> inside;
      std::copy_if(delta.histograms.begin(), delta.histograms.end(), std::back_inserter(inside),
                   [&](const SlotHistogram& h) { return h.slot >= columns.begin && h.slot < columns.end(); });
      merge_into(columns.histograms, inside);
    }
  }

  RamSlots ram_slots(size_t series) const override {
    const Copied& of = of_[series];
    const SeriesPieces& pieces = of.pieces;
    RamSlots out;
    if (!of.is_flushed) {
      add_window(pieces.flushing, pieces.combine(), out);
      const auto is_erased = [&](const auto& at) { return pieces.erased.has(at.slot); };
      std::erase_if(out.buckets, is_erased);
      std::erase_if(out.histograms, is_erased);
    }
    add_window(pieces.pending, pieces.combine(), out);
    for (const SeriesPieces::Delta& delta : pieces.deltas) {
      combine_into(out.buckets, delta.buckets, pieces.combine());
      merge_into(out.histograms, delta.histograms);
    }
    return out;
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

  static void add_window(const Window& window, Combine combine, RamSlots& out) {
    combine_into(out.buckets, window.buckets(combine), combine);
    if (window.histograms() != nullptr) merge_into(out.histograms, window.histograms()->histograms());
  }

  static void set_facts(Copied& of, const RollupPosition& position) {
    const SeriesPieces& pieces = of.pieces;
    SeriesFacts& facts = of.facts;
    facts = {pieces.id, pieces.kind,    pieces.retention,    pieces.first_slot,    pieces.last_slot,
             -1,        position.chunk, pieces.joined_power, std::move(facts.host)};
    if (pieces.id < position.id) ++facts.rolled;
    const auto include = [&facts](Slot slot) {
      if (facts.ram_slot < 0 || slot < facts.ram_slot) facts.ram_slot = slot;
    };
    for (const SeriesPieces::Delta& delta : pieces.deltas) {
      if (!delta.buckets.empty()) include(delta.buckets.front().slot);
    }
    for (const Window* const window : {&pieces.pending, of.is_flushed ? nullptr : &pieces.flushing}) {
      if (window != nullptr && !window->is_empty()) include(window->oldest_slot());
    }
  }

  const Table& table_;
  const Expiry& expiry_;
  ColumnCache* const cache_;
  std::vector<Copied> of_;
  std::unique_ptr<StoreSnapshot> snapshot_;
};

}  // namespace

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

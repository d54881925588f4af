#include "server/prometheus/value_journal.h"

#include <algorithm>
#include <utility>

namespace statmill {
namespace {

// A round writes so many entries that did not change for each one that did, and some more, so that it ends.
constexpr size_t kChangesPerOther = 4;
constexpr size_t kOthersMin = 64;

}  // namespace

void ValueJournal::note(int parity, const LastValueTable& values, Place place, Timestamp now) {
  Changes& changes = changes_[static_cast<size_t>(parity)];
  if (!changes.row) changes.row.emplace(now);
  changes.row->add(values.at(place));
  changes.places.push_back(place);
}

size_t ValueJournal::unsaved_bytes() const {
  size_t bytes = 0;
  for (const Changes& changes : changes_) {
    if (changes.row) bytes += changes.row->size() + changes.places.size() * sizeof(Place);
  }
  return bytes;
}

void ValueJournal::add_to(int parity, const LastValueTable& values, StoreBatch& batch) {
  remove_rows(batch);
  Changes& changes = changes_[static_cast<size_t>(parity)];
  if (!changes.row) return;
  continue_round(parity, values, batch.tick);
  batch.values.push_back({batch.tick, std::move(*changes.row).finish(batch.tick)});
  add_row(batch.tick, batch.values.back().bytes.size());
  changes.row.reset();
  changes.places.clear();
}

// An entry that has changed in the open epoch is left out: what it was before is not known here. The next
// row has it, and rows before the round are removed only together with that one.
void ValueJournal::continue_round(int parity, const LastValueTable& values, TickNo tick) {
  if (!round_) {
    if (rows_bytes_ < kRowsBytesMin) return;
    round_ = {tick, 0, values.places()};
  }
  Changes& changes = changes_[static_cast<size_t>(parity)];
  std::vector<Place> open = changes_[static_cast<size_t>(1 - parity)].places;
  std::sort(open.begin(), open.end());
  const size_t others = changes.places.size() / kChangesPerOther + kOthersMin;
  for (size_t i = 0; i < others && round_->next < round_->end; ++i, ++round_->next) {
    if (!values.is_used(round_->next) || std::binary_search(open.begin(), open.end(), round_->next)) continue;
    changes.row->add(values.at(round_->next));
  }
  if (round_->next < round_->end) return;
  removable_ = round_->begin;
  round_.reset();
}

void ValueJournal::remove_rows(StoreBatch& batch) {
  if (!removable_) return;
  const TickNo end = *std::exchange(removable_, std::nullopt);
  if (rows_.empty() || rows_.front().tick >= end) return;
  batch.values_trim = {rows_.front().tick, end};
  while (!rows_.empty() && rows_.front().tick < end) {
    rows_bytes_ -= rows_.front().bytes;
    rows_.pop_front();
  }
}

void ValueJournal::add_row(TickNo tick, size_t bytes) {
  rows_.push_back({tick, bytes});
  rows_bytes_ += bytes;
}

}  // namespace statmill

#include "server/prometheus/value_journal.h"

#include <utility>

namespace statmill {
namespace {

// A round passes one entry for so many that changed, and some more, so that it ends.
constexpr size_t kChangesPerOther = 4;
constexpr size_t kOthersMin = 64;
// It passes over so many entries that have a row, for each that it may write, since those cost next to
// nothing.
constexpr size_t kPassedPerOther = 16;

}  // namespace

void ValueJournal::note(int parity, const LastValueTable& values, Place place, Timestamp now) {
  Changes& changes = changes_[static_cast<size_t>(parity)];
  if (!changes.row) changes.row.emplace(now, last_row_bytes_);
  changes.row->add(values.at(place));
  changes.places.push_back(place);
  if (round_ && place < round_->has_row.size()) round_->has_row[place] = true;
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
  last_row_bytes_ = batch.values.back().bytes.size();
  add_row(batch.tick, last_row_bytes_);
  changes.row.reset();
  changes.places.clear();
}

void ValueJournal::begin_round(const LastValueTable& values, TickNo tick) {
  round_ = {tick, 0, std::vector<bool>(values.places())};
  for (const Changes& changes : changes_) {
    for (const Place place : changes.places) round_->has_row[place] = true;
  }
}

// An entry that has changed in the open epoch is left out: what it was before is not known here. The next
// row has it, and rows before the round are removed only together with that one.
void ValueJournal::continue_round(int parity, const LastValueTable& values, TickNo tick) {
  if (!round_) {
    if (rows_bytes_ < kRowsBytesMin) return;
    begin_round(values, tick);
  }
  Changes& changes = changes_[static_cast<size_t>(parity)];
  const size_t others = changes.places.size() / kChangesPerOther + kOthersMin;
  Place& next = round_->next;
  size_t written = 0;
  for (size_t passed = 0; written < others && passed < kPassedPerOther * others; ++passed, ++next) {
    if (next >= round_->has_row.size()) break;
    if (round_->has_row[next] || !values.is_used(next)) continue;
    changes.row->add(values.at(next));
    ++written;
  }
  if (next < round_->has_row.size()) return;
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

// ValueJournal: makes the last values durable, with the samples that they belong to, and keeps the rows that
// a start has to read short.
//
// Each tick with changes writes one row of the entries that changed. The rows would grow for ever, so once
// they are long a round begins: each row also has some of the entries that have not changed since. When the
// round has passed all places, no entry needs a row from before the round, and those are removed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "server/prometheus/last_values.h"
#include "storage/store.h"
#include "storage/value_row.h"

namespace statmill {

// Thread-compatible.
class ValueJournal {
 public:
  // No round begins while the rows together have fewer bytes.
  static constexpr size_t kRowsBytesMin = size_t{4} << 20;

  // Notes that the entry at this place has changed in the epoch of this parity, and is now as `values` says.
  void note(int parity, const LastValueTable& values, LastValueTable::Place place, Timestamp now);
  // Bytes of the changes that no row has yet.
  size_t unsaved_bytes() const;

  // Adds the row of the epoch that ended, and what is to be removed. `values` may already have changes of the
  // epoch that is open. Each call is for the next epoch, with a batch that is written before the next call.
  void add_to(int parity, const LastValueTable& values, StoreBatch& batch);

  // For a start: a row that the store has, in their order.
  void restore_row(TickNo tick, size_t bytes) { add_row(tick, bytes); }
  size_t rows_bytes() const { return rows_bytes_; }

 private:
  using Place = LastValueTable::Place;
  struct Row {
    TickNo tick = 0;
    size_t bytes = 0;
  };
  struct Changes {  // of one epoch
    std::optional<ValueRowWriter> row;
    std::vector<Place> places;
  };
  struct Round {
    TickNo begin = 0;  // the tick of its first row
    Place next = 0;    // the place that it continues with
    // By place: a row of the begin or later has the entry, or will have it. Further places are of entries
    // that came after the begin.
    std::vector<bool> has_row;
  };

  void add_row(TickNo tick, size_t bytes);
  void begin_round(const LastValueTable& values, TickNo tick);
  void continue_round(int parity, const LastValueTable& values, TickNo tick);
  void remove_rows(StoreBatch& batch);

  std::array<Changes, 2> changes_;  // by parity
  std::deque<Row> rows_;            // in the store, or in the batch that is being written
  size_t rows_bytes_ = 0;
  size_t last_row_bytes_ = 0;  // the next one is about as long
  std::optional<Round> round_;
  std::optional<TickNo> removable_;  // rows of ticks below are needed no more once the next row is durable
};

}  // namespace statmill

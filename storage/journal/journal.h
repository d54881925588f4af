// Journal rows: what one tick added to all series; the bytes that make samples durable (storage/FORMAT.md).
//
// A row holds entries of many series, by id. An entry is a difference from what its series had pending when
// the entry was written (window.h). So rows must be replayed in order, for each series from its shard's flush
// on, and none may be missing: each row contains the tick of the row before it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/result.h"
#include "storage/ids.h"

namespace statmill {

// The entries of one series.
struct JournalPiece {
  SeriesId id = 0;
  uint32_t entries = 0;
  std::string_view bytes;  // entry.h
};

struct RowPlace {
  TickNo tick = 0;
  TickNo previous = 0;  // tick of the row before this one; 0 if a replay needs none
};

// Returns a row: version, previous, pieces, CRC32C bound to the tick. JournalDraft makes the row of a
// whole tick. Requires: ascending ids, each once; no piece is empty; previous < tick.
std::string encode_journal_row(const RowPlace& place, std::span<const JournalPiece> pieces);
// The same for the pieces piece_at(0) to piece_at(count - 1), each called twice; replaces the content of
// `row`.
template <class PieceAt>
void encode_journal_row(const RowPlace& place, size_t count, const PieceAt& piece_at, std::string& row);

// Iterates over the series of a row. The row must outlive it.
class JournalRowReader {
 public:
  // Returns a reader if the row's checksum is correct. Errors: kCorrupt, kVersion.
  static Result<JournalRowReader> open(TickNo tick, std::string_view row);

  // The tick of the row before this one; 0 if none.
  TickNo previous() const { return previous_; }
  // Moves to the first or next series. Its entries must be read or skipped (entry.h) from entry_reader()
  // before the next call. Returns false at the end, or if the row is invalid; then failed() is true.
  bool next();
  SeriesId id() const { return static_cast<SeriesId>(id_); }
  uint32_t entries() const { return static_cast<uint32_t>(entries_); }
  Reader& entry_reader() { return in_; }
  bool failed() const { return failed_ || in_.failed(); }

 private:
  JournalRowReader(TickNo previous, Reader runs) : in_(runs), previous_(previous) {}
  bool begin_run();

  Reader in_;
  TickNo previous_ = 0;
  uint64_t next_ = 0;  // the lowest id that can come
  uint64_t left_ = 0;  // remaining series of the run
  uint64_t id_ = 0;
  uint64_t entries_ = 0;
  bool failed_ = false;
};

void begin_journal_row(const RowPlace& place, std::string& row);
void end_journal_row(TickNo tick, std::string& row);

template <class PieceAt>
void encode_journal_row(const RowPlace& place, size_t count, const PieceAt& piece_at, std::string& row) {
  constexpr size_t kRunMax = 1024;  // pieces scanned for the end of a run are still in the cache when copied
  begin_journal_row(place, row);
  Writer out(row);
  SeriesId next = 0;
  for (size_t begin = 0; begin < count;) {
    const JournalPiece first = piece_at(begin);
    SM_CHECK(first.id >= next && first.entries > 0);
    size_t length = 1;
    for (; length < kRunMax && begin + length < count; ++length) {
      const JournalPiece piece = piece_at(begin + length);
      if (piece.id != first.id + length || piece.entries != first.entries) break;
      __builtin_prefetch(piece.bytes.data());
    }
    out.varint(first.id - next);
    out.varint(length);
    out.varint(first.entries);
    for (size_t i = begin; i < begin + length; ++i) out.bytes(piece_at(i).bytes);
    next = first.id + static_cast<SeriesId>(length);
    begin += length;
  }
  end_journal_row(place.tick, row);
}

}  // namespace statmill

#include "server/tick/replay.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "storage/codec/entry.h"

namespace statmill {
namespace {

constexpr uint64_t kBlock = 1024;
constexpr size_t kSeriesPerThreadMin = 16 * kBlock;
constexpr size_t kThreadsMax = 8;

bool skip_entries(JournalRowReader& reader) {
  for (uint32_t i = 0; i < reader.entries(); ++i) {
    if (!skip_entry(reader.entry_reader())) return false;
  }
  return true;
}

// Replays the series [begin, end) of all rows. Confined to one thread.
class Share {
 public:
  Share(const ReplayInput& input, uint64_t begin, uint64_t end) : input_(input), begin_(begin), end_(end) {}

  // Replays a block of series through all rows before the next block, so that the windows of the block stay
  // in the CPU's cache. Row by row they would not: every row has most of the series, and a million windows do
  // not fit.
  Status run() {
    for (const ReplayRow& row : input_.rows) {
      if (!row.reader) continue;
      cursors_.push_back({row, *row.reader, true});
      if (!seek(cursors_.back())) return corrupt(row);
    }
    for (uint64_t block = begin_; block < std::min<uint64_t>(end_, input_.by_id.size()); block += kBlock) {
      for (Cursor& cursor : cursors_) {
        if (Status s = replay_until(cursor, std::min(block + kBlock, end_)); !s) return s;
      }
    }
    // The last share also has the ids beyond the catalog.
    for (Cursor& cursor : cursors_) {
      if (Status s = replay_until(cursor, end_); !s) return s;
      if (cursor.reader.failed()) return corrupt(cursor.row);
    }
    return Status::ok();
  }

  const ReplayCounts& counts() const { return counts_; }

 private:
  struct Cursor {
    const ReplayRow& row;
    JournalRowReader reader;
    bool more = false;  // whether the reader is at a series
  };

  static Error corrupt(const ReplayRow& row) {
    return {ErrorCode::kCorrupt, "journal row of tick " + std::to_string(row.tick) + ": an invalid entry"};
  }

  // Moves to the first series of the share. Returns false if the entries before it are invalid.
  bool seek(Cursor& cursor) const {
    for (cursor.more = cursor.reader.next(); cursor.more && cursor.reader.id() < begin_;
         cursor.more = cursor.reader.next()) {
      if (!skip_entries(cursor.reader)) return false;
    }
    return true;
  }

  Status replay_until(Cursor& cursor, uint64_t end) {
    for (; cursor.more && cursor.reader.id() < end; cursor.more = cursor.reader.next()) {
      const SeriesId id = cursor.reader.id();
      const bool is_known = id < input_.by_id.size() && input_.by_id[id].is_known();
      if (!is_known && !input_.salvages) return unknown_series(id);
      KnownSeries unknown;
      if (!replay_series(cursor, is_known ? input_.by_id[id] : unknown)) return corrupt(cursor.row);
    }
    return Status::ok();
  }

  // Replays or skips the entries of one series in one row. Returns false if they are invalid.
  bool replay_series(Cursor& cursor, KnownSeries& known) {
    JournalRowReader& reader = cursor.reader;
    known.has_entries = true;
    const TickNo flushed = input_.flushed[known.shard];
    const bool is_new = cursor.row.tick > flushed;
    const bool is_replayed = is_new && flushed >= cursor.row.decodable_from;
    if (is_replayed && known.is_idle && known.series == nullptr)
      known.series = input_.wake(known.shard, known.idle);
    if (is_replayed && known.series != nullptr) {
      counts_.entries += reader.entries();
      return known.series->replay(reader.entries(), reader.entry_reader(), input_.detail_ratio);
    }
    if (!known.is_known()) counts_.of_unknown_series += reader.entries();
    if ((known.series != nullptr || known.is_idle) && is_new) counts_.without_reference += reader.entries();
    return skip_entries(reader);
  }

  const ReplayInput& input_;
  const uint64_t begin_;
  const uint64_t end_;
  std::vector<Cursor> cursors_;
  ReplayCounts counts_;
};

}  // namespace

Result<ReplayCounts> replay(const ReplayInput& input) {
  const size_t series = input.by_id.size();
  const size_t threads = std::clamp<size_t>(
      std::min<size_t>(series / kSeriesPerThreadMin, std::thread::hardware_concurrency()), 1, kThreadsMax);
  std::vector<Share> shares;
  for (size_t i = 0; i < threads; ++i) {
    const bool is_last = i + 1 == threads;
    shares.emplace_back(input, series * i / threads,
                        is_last ? std::numeric_limits<uint64_t>::max() : series * (i + 1) / threads);
  }
  std::vector<Status> done(threads);
  // Bare threads: they only compute, never wait, and end before this function does, so nobody has to stop,
  // watch or name them.
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i) others.emplace_back([&, i] { done[i] = shares[i].run(); });
  done[0] = shares[0].run();
  for (std::thread& thread : others) thread.join();
  ReplayCounts sum;
  for (size_t i = 0; i < threads; ++i) {
    if (!done[i]) return done[i].error();
    sum.entries += shares[i].counts().entries;
    sum.without_reference += shares[i].counts().without_reference;
    sum.of_unknown_series += shares[i].counts().of_unknown_series;
  }
  return sum;
}

Error unknown_series(SeriesId id) {
  return {ErrorCode::kCorrupt, "series " + std::to_string(id) + " is not in the catalog"};
}

}  // namespace statmill

// NameChanges: deletes and renames series for an administrator. It selects them by name or glob and passes
// them to the tick thread in slices of one tick each, so that no tick takes long.
//
// Each slice is atomic, also across a crash. A request is checked completely before its first slice.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/table/table.h"

namespace statmill {

struct DeleteRequest {
  std::vector<std::string> names;  // each must exist
  std::vector<std::string> globs;  // may match nothing
  bool all = false;                // allows a glob that consists of stars only
  // Erases only samples in [from_s, until_s), unix seconds. A missing bound means no bound on that side. If
  // both are missing, the series themselves are deleted.
  std::optional<int64_t> from_s;
  std::optional<int64_t> until_s;
};

// Either two names, or two patterns with one star each; both stars match the same text.
struct RenameRequest {
  std::string from;
  std::string to;
};

struct Renaming {
  std::string from;
  std::string to;
};

// Thread-safe.
class NameChanges {
 public:
  // Slice sizes. A deletion or renaming costs a tick microseconds; an erasure reads about 200 chunks.
  static constexpr size_t kDeletesPerTick = 500;
  static constexpr size_t kErasuresPerTick = 50;
  static constexpr size_t kRenamesPerTick = 500;

  // Makes the changes in one tick (Ticker::change) and waits until they are durable.
  using Change = std::function<Result<ChangedSeries>(const SeriesChanges& changes)>;
  // `table` must outlive it.
  NameChanges(const Table& table, Change change) : table_(table), change_(std::move(change)) {}

  // Returns the names of the selected series, ascending. Errors: kInvalid (the range is empty or not a
  // multiple of the coarsest tier's step, a glob is invalid, or all series are selected without `all`),
  // kNotFound (a name does not exist).
  Result<std::vector<std::string>> select(const DeleteRequest& request) const;
  // Returns the renamings, ordered by old name. Errors: kInvalid (a new name is invalid or in
  // use, or only one side has a star), kNotFound.
  Result<std::vector<Renaming>> select(const RenameRequest& request) const;

  struct Deleted {
    size_t deleted = 0;
    size_t erased = 0;  // lost samples in the range but still exist
  };
  // Delete or rename the selected series. Errors: those of select(), and of Change with the number of series
  // done before.
  Result<Deleted> run(const DeleteRequest& request) const;
  Result<size_t> run(const RenameRequest& request) const;

 private:
  Status check(const DeleteRequest& request) const;
  std::optional<SlotRange> slots_of(const DeleteRequest& request) const;

  const Table& table_;
  const Change change_;
};

}  // namespace statmill

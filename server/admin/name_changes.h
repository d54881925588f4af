// NameChanges: series deleted and renamed as an administrator asks for it: picked by name or glob, and handed
// to the tick's thread in slices of one tick each, so that no tick takes long.
//
// A slice is done whole or not at all, whatever happens. What could be refused is refused before the first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/table/table.h"

namespace statmill {

struct DeleteRequest {
  std::vector<std::string> names;  // each must be there
  std::vector<std::string> globs;  // may match nothing
  bool all = false;                // a glob of nothing but stars is meant
  // Only what lies in [from_s, until_s), unix seconds. None: from the beginning, to the end of what is there;
  // neither: the series themselves.
  std::optional<int64_t> from_s;
  std::optional<int64_t> until_s;
};

// Both are names, or both have one star: what it stands for in the old name it stands for in the new one.
struct RenameRequest {
  std::string from;
  std::string to;
};

struct Renaming {
  std::string_view from;
  std::string to;
};

// Thread-safe.
class NameChanges {
 public:
  // Of one tick. A deletion or renaming costs a tick microseconds, an erasure reads some 200 chunks.
  static constexpr size_t kDeletesPerTick = 500;
  static constexpr size_t kErasuresPerTick = 50;
  static constexpr size_t kRenamesPerTick = 500;

  // Makes the changes in one tick, and waits for it (Ticker::change).
  using Change = std::function<Result<ChangedSeries>(const SeriesChanges& changes)>;
  // `table` must outlive it.
  NameChanges(const Table& table, Change change) : table_(table), change_(std::move(change)) {}

  // What would be deleted: names, ascending; valid as long as the request and the table. Errors:
  // kInvalid (a range that is empty, or not of the coarsest tier's steps; a glob; all series without `all`),
  // kNotFound (a name that is not there).
  Result<std::vector<std::string_view>> select(const DeleteRequest& request) const;
  // What would be renamed, by old name; valid as long. Errors: kInvalid (a name that no sample could bring,
  // or that is taken; stars that do not pair), kNotFound.
  Result<std::vector<Renaming>> select(const RenameRequest& request) const;

  struct Deleted {
    size_t deleted = 0;
    size_t erased = 0;  // lost the range, and are still there
  };
  // Errors: as select(), and those of Change, saying how much was done before.
  Result<Deleted> run(const DeleteRequest& request) const;
  Result<size_t> run(const RenameRequest& request) const;

 private:
  Status check(const DeleteRequest& request) const;
  std::optional<SlotRange> slots_of(const DeleteRequest& request) const;

  const Table& table_;
  const Change change_;
};

}  // namespace statmill

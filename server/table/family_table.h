// FamilyTable: unit and help of families, by path and kind. The tick writes what has changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "storage/family_row.h"

namespace statmill {

// Limits of a FamilyTable.
struct FamilyLimits {
  size_t families_max = 100'000;        // --limits.families
  size_t bytes_max = size_t{64} << 20;  // --limits.family_bytes: of paths, units and help texts
};

// Thread-safe. Lock order: a shard's lock, then this one; no lock is acquired while it is held. Memory: about
// 200 bytes for each family, and its texts.
class FamilyTable {
 public:
  explicit FamilyTable(const FamilyLimits& limits) : limits_(limits) {}

  // For senders.
  // Stores unit and help in place of those known; an empty help keeps the known one. Equal texts change
  // nothing. Returns false if a limit does not allow it. Requires: check_family() accepts it.
  bool note(const FamilyText& family);
  // Stores a unit if none is known and the limits allow it.
  void note_unit(Kind kind, std::string_view path, std::string_view unit);

  // For the tick; one thread.
  // Gives `to` the texts of `from`, unless it has some.
  void copy(const FamilyKey& from, const FamilyKey& to);
  // Forgets a family whose last series is gone, unless it was noted since the last take_changes().
  void remove(const FamilyKey& key);
  struct Changes {
    std::vector<FamilyRow> families;
    std::vector<FamilyKey> removed;
  };
  // Returns what has changed since the last call, each family once.
  Changes take_changes();

  // For the server's start: puts in the store's rows. The next changes remove the damaged ones.
  void restore(FamilyRows rows);

  // For queries.
  // Returns nullopt if nothing is known of the family.
  std::optional<FamilyRow> find(const FamilyKey& key) const;
  // Returns true if something is known of a family with this path.
  bool has_path(std::string_view path) const;
  // Returns up to `limit` families after `after`, by path and kind. The path "" is before all families.
  std::vector<FamilyRow> page(const FamilyKey& after, size_t limit) const;

  size_t size() const;
  // Bytes of all paths, units and help texts.
  size_t text_bytes() const;
  // How often a limit did not allow a family or its text, since the start.
  uint64_t refused() const;

 private:
  struct Texts {
    std::string unit;
    std::string help;
    uint64_t noted_at = 0;  // the value of takes_ when it was last noted
  };
  using Families = std::map<FamilyKey, Texts>;

  bool put(const FamilyKey& key, std::string_view unit, std::string_view help) REQUIRES(mutex_);

  const FamilyLimits limits_;
  mutable Mutex mutex_;
  Families families_ GUARDED_BY(mutex_);
  std::set<FamilyKey> changed_ GUARDED_BY(mutex_);  // since the last take_changes(); may be removed by now
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t takes_ GUARDED_BY(mutex_) = 0;  // calls of take_changes()
  uint64_t refused_ GUARDED_BY(mutex_) = 0;
};

}  // namespace statmill

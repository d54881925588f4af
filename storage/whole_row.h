// WholeRow: which chunks of the finest tier may lack data that were dropped (storage/FORMAT.md, "Whole
// chunks"). It outlives restarts, because a retention that is longer than the one before covers such chunks
// again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/ids.h"
#include "storage/retention.h"

namespace statmill {

struct WholeRow {
  struct Class {
    std::string glob;        // of its rule; the default class has none
    ChunkNo whole_from = 0;  // nothing was dropped of this chunk and of later ones
    bool operator==(const Class&) const = default;
  };
  // At least the default class, then those of the rules, in their order; as many as there are classes.
  std::vector<Class> classes;

  bool operator==(const WholeRow&) const = default;
};

// Returns true if the classes of the row are those of the retention.
bool has_globs_of(const WholeRow& row, const Retention& retention);

// Requires: the classes are as described.
std::string encode_whole_row(const WholeRow& row);
// Errors: kCorrupt, kVersion.
Result<WholeRow> decode_whole_row(std::string_view bytes);

}  // namespace statmill

// WholeChunks: computes at a start which chunks of each class may lack data that were dropped, from what the
// store remembers of the classes before. The rules may be others now, so each series counts with the class
// that it had and the class that it has.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "storage/retention.h"
#include "storage/whole_row.h"

namespace statmill {

class WholeChunks {
 public:
  // `retention` is the one of this start.
  WholeChunks(const std::optional<WholeRow>& row, const Retention& retention);

  // Call it for each series. Cost: if the globs are others than before, a match per rule.
  void add(std::string_view name, RetentionClass now);
  // By class: see WholeRow::Class::whole_from.
  const std::vector<ChunkNo>& by_class() const { return by_class_; }

 private:
  bool needs_series_ = false;    // else `by_class_` is complete
  std::vector<Glob> globs_;      // before
  std::vector<ChunkNo> before_;  // by class before
  std::vector<ChunkNo> by_class_;
};

}  // namespace statmill

#include "server/tick/whole_chunks.h"

#include <algorithm>

namespace statmill {
WholeChunks::WholeChunks(const std::optional<WholeRow>& row, const Retention& retention)
    : by_class_(retention.class_count(), 0) {
  if (!row) return;
  ChunkNo highest = 0;
  for (const WholeRow::Class& of : row->classes) {
    before_.push_back(of.whole_from);
    highest = std::max(highest, of.whole_from);
  }
  if (has_globs_of(*row, retention)) {
    by_class_ = before_;
    return;
  }
  for (size_t c = 1; c < row->classes.size(); ++c) {
    auto glob = Glob::parse(row->classes[c].glob);
    if (!glob) {  // it is unknown which series it had
      std::ranges::fill(by_class_, highest);
      return;
    }
    globs_.push_back(*std::move(glob));
  }
  needs_series_ = true;
}

void WholeChunks::add(std::string_view name, RetentionClass now) {
  if (!needs_series_) return;
  const auto rule = std::ranges::find_if(globs_, [name](const Glob& glob) { return glob.matches(name); });
  const size_t before = rule == globs_.end() ? 0 : static_cast<size_t>(rule - globs_.begin()) + 1;
  by_class_[now] = std::max(by_class_[now], before_[before]);
}

}  // namespace statmill

#include "server/graphite/group_buckets.h"

#include <utility>

#include "server/query/columns_memory.h"

namespace statmill::graphite {

GroupBuckets::~GroupBuckets() {
  forget(added_);
  forget(kept_);
}

Status GroupBuckets::add(SeriesList& list) {
  if (Status s = control_.check(); !s) return s;
  Series& series = list.back();
  Key key{group_of_(series), series.start_s, series.step_s, series.values.size()};
  if (const auto at = added_.find(key); at != added_.end()) {
    const std::shared_ptr<const SlotColumns> own = std::exchange(series.buckets, nullptr);
    series.is_merged = true;
    return merge(*at->second.buckets, *own);
  }
  if (Status s = control_.take_memory(bytes_of(key)); !s) return s;
  auto buckets = std::make_shared<SlotColumns>(*series.buckets);
  series.buckets = buckets;
  added_.emplace(std::move(key), Group{std::move(buckets), list.size() - 1});
  return Status::ok();
}

Status GroupBuckets::keep(SeriesList& list) {
  while (!added_.empty()) {
    auto placed = kept_.insert(added_.extract(added_.begin()));
    if (placed.inserted) continue;
    const Group& group = placed.node.mapped();
    control_.give_memory(bytes_of(placed.node.key()));
    if (Status s = merge(*placed.position->second.buckets, *group.buckets); !s) return s;
    control_.give_memory(column_bytes(*group.buckets));
    list[group.series].buckets.reset();
    list[group.series].is_merged = true;
  }
  return Status::ok();
}

void GroupBuckets::discard() { forget(added_); }

Status GroupBuckets::merge(SlotColumns& into, const SlotColumns& from) {
  const size_t before = column_bytes(into);
  into.add(from, Combine::kMerge);
  const size_t after = column_bytes(into);
  return after > before ? control_.take_memory(after - before) : Status::ok();
}

void GroupBuckets::forget(Groups& groups) {
  for (const auto& [key, group] : groups) control_.give_memory(bytes_of(key));
  groups.clear();
}

}  // namespace statmill::graphite

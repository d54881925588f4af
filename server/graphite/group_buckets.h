// GroupBuckets: the buckets of series, merged group by group while the series are read, so that those of few
// series are in memory at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/result.h"
#include "server/graphite/series.h"
#include "server/query/query_control.h"

namespace statmill::graphite {

// The buckets of a group are those of one of its series; the others have Series::is_merged. Series with other
// bands are groups of their own. Confined to one thread.
class GroupBuckets {
 public:
  // Both must outlive it.
  GroupBuckets(const GroupOf& group_of, QueryControl& control) : group_of_(group_of), control_(control) {}
  ~GroupBuckets();
  GroupBuckets(const GroupBuckets&) = delete;
  GroupBuckets& operator=(const GroupBuckets&) = delete;

  // Merges the buckets of the last series of a list with those of the series that have been added since
  // keep() or discard(). What the group grows by counts as memory of the query; the caller counts the series
  // after this. Errors: the reason to stop, kLimit, kBusy. Requires: the series has buckets.
  Status add(SeriesList& list);
  // Merges the groups that have been added with those that were kept before. Errors: kLimit, kBusy. Requires:
  // no series has moved in the list since it was added.
  Status keep(SeriesList& list);
  // Forgets the groups that have been added: their series are read again.
  void discard();

 private:
  using Key = std::tuple<std::string, int64_t, int64_t, size_t>;  // group, start_s, step_s, values
  struct Group {
    std::shared_ptr<SlotColumns> buckets;
    size_t series = 0;  // the place in the list of the series that has them
  };
  using Groups = std::map<Key, Group>;

  // The bytes of a group without its buckets.
  static size_t bytes_of(const Key& key) { return sizeof(Groups::value_type) + 64 + std::get<0>(key).size(); }
  Status merge(SlotColumns& into, const SlotColumns& from);
  void forget(Groups& groups);

  const GroupOf& group_of_;
  QueryControl& control_;
  Groups added_;
  Groups kept_;
};

}  // namespace statmill::graphite

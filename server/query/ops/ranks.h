// Ranks: topk, bottomk and limitk: chooses k series of each group at each point.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text_map.h"
#include "server/query/plan/nodes.h"
#include "server/query/series_source.h"

namespace statmill {

// Holds k values per group and point, and the labels of the series that they come from. Among
// equal values, those of the first series by labels are chosen. Confined to one thread.
class Ranks {
 public:
  // `counts` has k for each point; k is at most kCountMax. `node` must outlive this.
  static constexpr double kCountMax = 100'000;
  Ranks(const plan::Rank& node, const Numbers& counts);

  void add(SeriesValues series);
  size_t memory_bytes() const { return held_bytes_; }
  // Calls `take` with the series of each group. If there is one point, they are in the order of their ranks.
  Status finish(const std::function<Status(SeriesValues)>& take);

 private:
  struct Entry {
    double value = 0;
    int64_t integer = 0;  // of a decimal
    int8_t scale = Numbers::kReal;
    uint32_t series = 0;
  };
  struct Series {
    SeriesLabels labels;
    uint32_t uses = 0;  // entries that name it
  };
  using Heap = std::vector<Entry>;  // the entry to be replaced first is at the front
  struct Group {
    std::vector<Heap> heaps;  // one per point
  };

  bool is_ahead(const Entry& a, const Entry& b) const;
  void offer(Heap& heap, size_t limit, const Entry& entry);
  void copy(const Entry& entry, size_t point, std::optional<Numbers>& numbers) const;

  const plan::Rank& node_;
  std::vector<size_t> limits_;
  std::vector<Series> series_;
  std::vector<uint32_t> free_series_;
  std::vector<Group> groups_;
  TextMap<size_t> by_key_;
  size_t held_bytes_ = 0;
};

}  // namespace statmill

// Groups: aggregates series over labels, a series at a time.
//
// Only kQuantile keeps the series themselves; the other functions hold some numbers per group and point.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/text_map.h"
#include "server/query/plan/nodes.h"
#include "server/query/series_source.h"

namespace statmill {

// The labels of the group that a series belongs to.
SeriesLabels group_labels(const SeriesLabels& labels, const plan::Grouping& grouping);

// The value in the text of count_values: "0.1", "1000000", "NaN", "+Inf"; never with an exponent.
std::string plain_number_text(double value);

// Confined to one thread.
class Groups {
 public:
  // `node` must outlive this.
  Groups(const plan::Group& node, size_t points);
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  void add(SeriesValues series);
  // The bytes that it holds, without texts.
  size_t memory_bytes() const;
  // `parameter` has a value per point for kQuantile; empty for others. Calls `take` with each group that has
  // a value.
  Status finish(const Numbers& parameter, QueryNotes& notes, const std::function<Status(SeriesValues)>& take);

 private:
  class Group;
  Group& group_of(SeriesLabels labels);
  void count_values(const SeriesValues& series);

  const plan::Group& node_;
  const size_t points_;
  std::vector<std::unique_ptr<Group>> groups_;
  TextMap<size_t> by_key_;
  size_t held_bytes_ = 0;
};

}  // namespace statmill

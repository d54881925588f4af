// Joins: operators between the series of two vectors, matched by labels, in the cases and with the errors of
// Prometheus 2.42.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/text_map.h"
#include "server/query/ops/unique_series.h"
#include "server/query/plan/nodes.h"
#include "server/query/series_source.h"

namespace statmill {

// The key by which series of the two sides match.
std::string match_key(const SeriesLabels& labels, const plan::Matching& matching);

// `and` and `unless`: holds which points of each key the right side has. Confined to one thread.
class PresenceJoin {
 public:
  // `node` must outlive this.
  PresenceJoin(const plan::Join& node, size_t points) : node_(node), points_(points) {}

  void add_right(const SeriesValues& series);
  // Removes the points that the operator leaves out.
  void filter_left(SeriesValues& series) const;
  size_t memory_bytes() const { return right_.size() * (points_ / 8 + kKeyBytes); }

 private:
  static constexpr size_t kKeyBytes = 200;  // bytes of a usual key and of its node in the map

  const plan::Join& node_;
  const size_t points_;
  TextMap<Presence> right_;
};

// `or`: all of the left side, and those of the right side without a match. Holds the left side.
class UnionJoin {
 public:
  UnionJoin(const plan::Join& node, size_t points) : node_(node), points_(points), result_(false) {}

  Status add_left(SeriesValues series);
  Status add_right(SeriesValues series);
  size_t memory_bytes() const { return result_.memory_bytes(); }
  Status finish(const std::function<Status(SeriesValues)>& take) { return result_.finish(take); }

 private:
  const plan::Join& node_;
  const size_t points_;
  TextMap<Presence> left_;
  UniqueSeries result_;
};

// Arithmetic and comparisons. Holds the side of which one series may match several of the other ("one"), and
// the result; the other side ("many") streams. For one-to-one, the right side is "one".
class ValueJoin {
 public:
  // `node` and `notes` must outlive this.
  ValueJoin(const plan::Join& node, size_t points, QueryNotes& notes)
      : node_(node), points_(points), notes_(notes), many_present_(points), result_(false) {}

  bool is_one_left() const { return node_.matching.cardinality == plan::Cardinality::kOneToMany; }
  // All of "one" come before the first of "many".
  void add_one(SeriesValues series);
  // Errors: kInvalid: several series match where one may.
  Status add_many(const SeriesValues& series);
  size_t memory_bytes() const { return held_bytes_ + result_.memory_bytes(); }
  // Errors: kInvalid: series of "one" with equal keys.
  Status finish(const std::function<Status(SeriesValues)>& take);

 private:
  struct Match {
    std::vector<SeriesValues> rows;
    std::vector<uint32_t> row_at;  // by point: 1 + index into rows, or 0
    Presence matched;              // points where one series of "many" has matched (one-to-one)
    TextMap<Presence> results;     // the same, by the labels of the result
  };
  Status join(Match& match, const SeriesValues& many);
  SeriesValues empty_result(const SeriesValues& many, const SeriesValues& one) const;
  bool combine(const SeriesValues& many, const SeriesValues& one, size_t point, SeriesValues& result);
  Status note_result(Match& match, const SeriesLabels& labels, size_t point);
  SeriesLabels result_labels(const SeriesLabels& many, const SeriesLabels& one) const;
  void note_duplicate(const SeriesLabels& labels, const SeriesLabels& other, const Presence& where);

  const plan::Join& node_;
  const size_t points_;
  QueryNotes& notes_;
  TextMap<Match> matches_;
  Presence many_present_;  // points at which "many" has any series
  struct Duplicate {
    Presence where;
    std::string message;
  };
  std::vector<Duplicate> duplicates_;
  size_t held_bytes_ = 0;  // by "one"
  UniqueSeries result_;
};

}  // namespace statmill

#include "server/query/ops/joins.h"

#include <algorithm>
#include <utility>

#include "server/query/ops/histogram_arithmetic.h"
#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/map_functions.h"

namespace statmill {
namespace {

using plan::Cardinality;
using plan::Operator;

SeriesLabels matched_labels(const SeriesLabels& labels, const plan::Matching& matching) {
  SeriesLabels matched = labels;
  if (matching.is_on) {
    matched.keep_only(matching.labels);
    return matched;
  }
  matched.remove(kMetricName);
  for (const std::string& label : matching.labels) matched.remove(label);
  return matched;
}

// {a="b", c="d"}
std::string label_text(const SeriesLabels& labels) {
  std::string text = "{";
  for (const auto& [name, value] : labels.all()) {
    if (text.size() > 1) text += ", ";
    text.append(name).append("=\"");
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}

void unite(Presence& presence, const Presence& other) {
  for (size_t w = 0; w < presence.words().size(); ++w) presence.words()[w] |= other.words()[w];
}

// Removes points from a series, and sets their numbers to 0.
template <class IsRemoved>
void remove_points(SeriesValues& series, IsRemoved is_removed) {
  if (series.histograms) {
    for (size_t i = 0; i < series.histograms->size(); ++i) {
      if (is_removed(i)) remove_point(*series.histograms, i);
    }
    return;
  }
  Numbers& numbers = series.numbers;
  for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
    if (is_removed(i)) numbers.remove(i);
  }
}

Error many_matches(std::string_view rest) {
  return {ErrorCode::kInvalid, "multiple matches for labels: " + std::string(rest)};
}

}  // namespace

std::string match_key(const SeriesLabels& labels, const plan::Matching& matching) {
  return matched_labels(labels, matching).key();
}

void PresenceJoin::add_right(const SeriesValues& series) {
  Presence storage;
  unite(right_.try_emplace(match_key(series.labels, node_.matching), points_).first->second,
        presence_of(series, storage));
}

void PresenceJoin::filter_left(SeriesValues& series) const {
  const auto found = right_.find(match_key(series.labels, node_.matching));
  const bool keeps_matched = node_.op == Operator::kAnd;
  remove_points(series,
                [&](size_t i) { return (found != right_.end() && found->second[i]) != keeps_matched; });
}

Status UnionJoin::add_left(SeriesValues series) {
  Presence storage;
  unite(left_.try_emplace(match_key(series.labels, node_.matching), points_).first->second,
        presence_of(series, storage));
  return result_.add(std::move(series));
}

Status UnionJoin::add_right(SeriesValues series) {
  const auto found = left_.find(match_key(series.labels, node_.matching));
  if (found != left_.end()) {
    remove_points(series, [&](size_t i) { return found->second[i]; });
    if (!has_values(series)) return Status::ok();
  }
  return result_.add(std::move(series));
}

void ValueJoin::add_one(SeriesValues series) {
  held_bytes_ += memory_bytes_of(series);
  Match& match = matches_.try_emplace(match_key(series.labels, node_.matching)).first->second;
  if (match.row_at.empty()) {
    match.row_at.resize(points_);
    held_bytes_ += points_ * sizeof(match.row_at[0]);
  }
  Presence storage;
  const Presence& present = presence_of(series, storage);
  Presence duplicates(points_);
  const auto row = static_cast<uint32_t>(match.rows.size() + 1);
  uint32_t other = 0;
  for (size_t i = present.next(0); i < points_; i = present.next(i + 1)) {
    if (match.row_at[i] != 0) {
      duplicates.set(i);
      other = match.row_at[i];
    } else {
      match.row_at[i] = row;
    }
  }
  if (other != 0) note_duplicate(series.labels, match.rows[other - 1].labels, duplicates);
  match.rows.push_back(std::move(series));
}

void ValueJoin::note_duplicate(const SeriesLabels& labels, const SeriesLabels& other, const Presence& where) {
  constexpr size_t kNotedMax = 100;  // the first that matters is reported
  if (duplicates_.size() >= kNotedMax) {
    unite(duplicates_.back().where, where);
    return;
  }
  duplicates_.push_back(
      {where, "found duplicate series for the match group " +
                  label_text(matched_labels(labels, node_.matching)) + " on the " +
                  (is_one_left() ? "left" : "right") + " hand-side of the operation: [" + label_text(labels) +
                  ", " + label_text(other) +
                  "];many-to-many matching not allowed: matching labels must be unique on one side"});
}

Status ValueJoin::add_many(const SeriesValues& series) {
  Presence storage;
  unite(many_present_, presence_of(series, storage));
  const auto found = matches_.find(match_key(series.labels, node_.matching));
  return found == matches_.end() ? Status::ok() : join(found->second, series);
}

// Without a value at any point.
SeriesValues ValueJoin::empty_result(const SeriesValues& many, const SeriesValues& one) const {
  SeriesLabels labels = result_labels(many.labels, one.labels);
  const bool has_histograms = many.histograms || one.histograms;
  if (has_histograms && !node_.returns_bool) return {std::move(labels), {}, absent_histograms(points_)};
  return {std::move(labels), Numbers::of_reals(points_)};
}

// Returns false if there is no result.
bool ValueJoin::combine(const SeriesValues& many, const SeriesValues& one, size_t point,
                        SeriesValues& result) {
  if (many.histograms || one.histograms) {
    return combine_histograms({.op = node_.op,
                               .returns_bool = node_.returns_bool,
                               .left = is_one_left() ? one : many,
                               .right = is_one_left() ? many : one,
                               .point = point},
                              result, notes_);
  }
  double left = many.numbers.value(point);
  double right = one.numbers.value(point);
  if (is_one_left()) std::swap(left, right);
  double value = 0;
  if (plan::is_comparison(node_.op)) {
    const bool holds = compare(node_.op, left, right);
    if (!holds && !node_.returns_bool) return false;
    value = node_.returns_bool ? static_cast<double>(holds) : left;
  } else {
    value = arithmetic(node_.op, left, right);
  }
  result.numbers.set(point, value);
  return true;
}

Status ValueJoin::join(Match& match, const SeriesValues& many) {
  Presence storage;
  const Presence& present = presence_of(many, storage);
  uint32_t current = 0;
  SeriesLabels labels;
  SeriesValues result;
  const auto flush = [&]() -> Status {
    if (current == 0 || !has_values(result)) return Status::ok();
    return result_.add(std::move(result));
  };
  // A series of "many" may match another of "one" at each point; nearly always it is the same.
  for (size_t i = present.next(0); i < points_; i = present.next(i + 1)) {
    const uint32_t row = match.row_at[i];
    if (row == 0) continue;
    const SeriesValues& one = match.rows[row - 1];
    if (row != current) {
      if (Status status = flush(); !status) return status;
      current = row;
      result = empty_result(many, one);
      labels = result.labels;
    }
    if (!combine(many, one, i, result)) continue;
    if (Status status = note_result(match, labels, i); !status) return status;
  }
  return flush();
}

Status ValueJoin::note_result(Match& match, const SeriesLabels& labels, size_t point) {
  const bool is_one_to_one = node_.matching.cardinality == Cardinality::kOneToOne;
  if (match.matched.size() == 0) match.matched.reset(points_);
  if (is_one_to_one) {
    if (match.matched[point]) {
      return many_matches("many-to-one matching must be explicit (group_left/group_right)");
    }
    match.matched.set(point);
    return Status::ok();
  }
  Presence& known = match.results.try_emplace(labels.key(), points_).first->second;
  if (known[point]) return many_matches("grouping labels must ensure unique matches");
  known.set(point);
  return Status::ok();
}

SeriesLabels ValueJoin::result_labels(const SeriesLabels& many, const SeriesLabels& one) const {
  const plan::Matching& matching = node_.matching;
  SeriesLabels labels = many;
  if (!plan::is_comparison(node_.op) || node_.returns_bool) labels.remove(kMetricName);
  if (matching.cardinality == Cardinality::kOneToOne) {
    if (matching.is_on) {
      labels.keep_only(matching.labels);
    } else {
      for (const std::string& label : matching.labels) labels.remove(label);
    }
  }
  for (const std::string& label : matching.include) labels.set(label, one.get(label));
  return labels;
}

Status ValueJoin::finish(const std::function<Status(SeriesValues)>& take) {
  for (const Duplicate& duplicate : duplicates_) {
    for (size_t w = 0; w < many_present_.words().size(); ++w) {
      if ((many_present_.words()[w] & duplicate.where.words()[w]) == 0) continue;
      return Error{ErrorCode::kInvalid, duplicate.message};
    }
  }
  return result_.finish(take);
}

}  // namespace statmill

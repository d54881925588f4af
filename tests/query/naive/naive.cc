#include "tests/query/naive/naive.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/query/naive/evaluation.h"

namespace statmill::naive {
namespace {

// Adds the points of one time to the rows.
class Rows {
 public:
  explicit Rows(size_t times) : times_(times) {}

  // Returns false if the value is neither a number nor a vector of numbers.
  bool add(const Operand& operand, size_t time) {
    if (const auto* number = std::get_if<Quad>(&operand)) {
      set({}, time, rounded(*number));
      return true;
    }
    const auto* vector = std::get_if<Vector>(&operand);
    if (vector == nullptr) return false;
    for (const Element& element : *vector) {
      const auto* number = std::get_if<Quad>(&element.value);
      if (number == nullptr) return false;
      set(element.labels, time, rounded(*number));
    }
    return true;
  }
  Answer take() { return std::move(rows_); }

 private:
  void set(const Labels& labels, size_t time, double value) {
    const auto [found, is_new] = row_of_.emplace(labels, rows_.size());
    if (is_new) rows_.push_back({labels, std::vector<std::optional<double>>(times_)});
    rows_[found->second].points[time] = value;
  }

  size_t times_;
  std::map<Labels, size_t> row_of_;
  Answer rows_;
};

bool is_near(double a, double b, const Nearness& nearness) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  if (std::isinf(a) || std::isinf(b)) return false;
  const double greater = std::max(std::fabs(a), std::fabs(b));
  return std::fabs(a - b) <= std::max(nearness.relative * greater, nearness.absolute);
}

std::string text_of(const std::optional<double>& point) {
  if (!point) return "nothing";
  std::ostringstream out;
  out.precision(17);
  out << *point;
  return out.str();
}

std::map<Labels, const AnswerRow*> rows_with_points(const Answer& answer) {
  std::map<Labels, const AnswerRow*> out;
  for (const AnswerRow& row : answer) {
    const bool has_point =
        std::any_of(row.points.begin(), row.points.end(), [](const auto& p) { return p.has_value(); });
    if (has_point) out[row.labels] = &row;
  }
  return out;
}

}  // namespace

Result<Answer> evaluate(const promql::SyntaxTree& tree, const std::vector<SampledSeries>& series,
                        const Grid& grid, const Setting& setting) {
  std::vector<StoredSeries> stored;
  for (const SampledSeries& one : series)
    stored.push_back({one.labels, one.kind, slots_of(one, series, setting)});
  Evaluation evaluation(tree, stored, grid, setting);
  Rows rows(static_cast<size_t>((grid.end - grid.start) / grid.step) + 1);
  size_t i = 0;
  for (Timestamp t = grid.start; t <= grid.end; t += grid.step, ++i) {
    const Operand value = evaluation.root(t);
    if (evaluation.error()) return *evaluation.error();
    if (!rows.add(value, i)) return Error{ErrorCode::kUnavailable, "the answer is a histogram or a string"};
  }
  return rows.take();
}

std::optional<std::string> difference(const Answer& want, const Answer& got, const Nearness& nearness) {
  const auto wanted = rows_with_points(want);
  const auto found = rows_with_points(got);
  for (const auto& [labels, row] : found) {
    if (!wanted.contains(labels)) return text_of(labels) + ": not wanted";
  }
  for (const auto& [labels, row] : wanted) {
    const auto other = found.find(labels);
    if (other == found.end()) return text_of(labels) + ": missing";
    const auto& points = other->second->points;
    if (points.size() != row->points.size()) return text_of(labels) + ": another number of points";
    for (size_t i = 0; i < points.size(); ++i) {
      const std::optional<double>& a = row->points[i];
      const std::optional<double>& b = points[i];
      if (a.has_value() == b.has_value() && (!a || is_near(*a, *b, nearness))) continue;
      return text_of(labels) + ": point " + std::to_string(i) + ": want " + text_of(a) + ", got " +
             text_of(b);
    }
  }
  return std::nullopt;
}

std::string text_of(const Labels& labels) {
  std::string out = "{";
  for (const auto& [label, value] : labels) {
    if (out.size() > 1) out += ", ";
    out.append(label).append("=\"").append(value).append("\"");
  }
  return out + "}";
}

}  // namespace statmill::naive

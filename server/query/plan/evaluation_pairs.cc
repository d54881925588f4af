// The nodes of Evaluation that compare or combine numbers: joins, operators with a scalar, sorts.
#include <algorithm>
#include <cmath>
#include <utility>

#include "server/query/ops/histogram_arithmetic.h"
#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/joins.h"
#include "server/query/ops/map_functions.h"
#include "server/query/ops/relabel.h"
#include "server/query/plan/evaluation.h"

namespace statmill {
namespace {

void keep_if_true(const plan::ScalarMap& node, const Numbers& scalar, Numbers& numbers) {
  for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
    double left = numbers.value(i);
    double right = scalar.reals[i];
    if (node.is_scalar_left) std::swap(left, right);
    if (!compare(node.op, left, right)) numbers.remove(i);
  }
}

void apply(const plan::ScalarMap& node, const Numbers& scalar, Numbers& numbers) {
  numbers.make_real();
  for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
    double left = numbers.reals[i];
    double right = scalar.reals[i];
    if (node.is_scalar_left) std::swap(left, right);
    numbers.reals[i] = plan::is_comparison(node.op) ? static_cast<double>(compare(node.op, left, right))
                                                    : arithmetic(node.op, left, right);
  }
}

// NaN comes last in both directions.
bool is_sorted_before(const SeriesValues& a, const SeriesValues& b, bool is_descending) {
  if (a.histograms || b.histograms) return !a.histograms && b.histograms;
  const double left = a.numbers.value(0);
  const double right = b.numbers.value(0);
  if (std::isnan(left) || std::isnan(right)) return !std::isnan(left) && std::isnan(right);
  return is_descending ? left > right : left < right;
}

bool is_labelled_before(const SeriesValues& a, const SeriesValues& b,
                        const std::vector<std::string>& labels) {
  for (const std::string& label : labels) {
    const std::string_view left = a.labels.get(label);
    const std::string_view right = b.labels.get(label);
    if (left != right) return is_naturally_before(left, right);
  }
  return a.labels < b.labels;
}

}  // namespace

Status Evaluation::run_node(const plan::ScalarMap& node, const Grid& grid, const Take& take) {
  const Result<Numbers> column = scalar(node.scalar, grid);
  if (!column) return column.error();
  const HeldMemory memory(control_, column->size() * (sizeof(double) + 1));
  if (!memory.status()) return memory.status();
  const bool is_filter = plan::is_comparison(node.op) && !node.returns_bool;
  return vector(node.child, grid, [&](SeriesValues series) {
    if (Status status = control_.check(); !status) return status;
    if (!is_filter) series.labels.remove(kMetricName);
    if (series.histograms) {
      scale_histograms(node, *column, *series.histograms, notes_);
      return has_values(series) ? take(std::move(series)) : Status::ok();
    }
    if (!is_filter) {
      apply(node, *column, series.numbers);
      return take(std::move(series));
    }
    keep_if_true(node, *column, series.numbers);
    return has_values(series) ? take(std::move(series)) : Status::ok();
  });
}

Status Evaluation::run_node(const plan::Join& node, const Grid& grid, const Take& take) {
  switch (node.op) {
    case plan::Operator::kAnd:
    case plan::Operator::kUnless: {
      PresenceJoin join(node, grid.points());
      size_t held = 0;
      Status status = vector(node.right, grid, [&](const SeriesValues& series) {
        join.add_right(series);
        return hold(held, join.memory_bytes());
      });
      if (!status) return status;
      return vector(node.left, grid, [&](SeriesValues series) {
        join.filter_left(series);
        return has_values(series) ? take(std::move(series)) : Status::ok();
      });
    }
    case plan::Operator::kOr: {
      UnionJoin join(node, grid.points());
      size_t held = 0;
      Status status = vector(node.left, grid, [&](SeriesValues series) {
        if (Status added = join.add_left(std::move(series)); !added) return added;
        return hold(held, join.memory_bytes());
      });
      if (!status) return status;
      status = vector(node.right, grid, [&](SeriesValues series) {
        if (Status added = join.add_right(std::move(series)); !added) return added;
        return hold(held, join.memory_bytes());
      });
      if (!status) return status;
      return join.finish(take);
    }
    default:
      return join_values(node, grid, take);
  }
}

Status Evaluation::join_values(const plan::Join& node, const Grid& grid, const Take& take) {
  ValueJoin join(node, grid.points(), notes_);
  const plan::NodeIndex one = join.is_one_left() ? node.left : node.right;
  const plan::NodeIndex many = join.is_one_left() ? node.right : node.left;
  size_t held = 0;
  Status status = vector(one, grid, [&](SeriesValues series) {
    join.add_one(std::move(series));
    return hold(held, join.memory_bytes());
  });
  if (!status) return status;
  status = vector(many, grid, [&](SeriesValues series) {
    if (Status added = join.add_many(std::move(series)); !added) return added;
    return hold(held, join.memory_bytes());
  });
  if (!status) return status;
  return join.finish(take);
}

Status Evaluation::run_node(const plan::Sort& node, const Grid& grid, const Take& take) {
  if (grid.points() > 1) return vector(node.child, grid, take);
  std::vector<SeriesValues> all;
  Status status = vector(node.child, grid, [&](SeriesValues series) {
    const size_t bytes = memory_bytes_of(series);
    all.push_back(std::move(series));
    return control_.take_memory(bytes);
  });
  if (!status) return status;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.labels < b.labels; });
  std::stable_sort(all.begin(), all.end(), [&node](const SeriesValues& a, const SeriesValues& b) {
    if (!node.is_by_labels) return is_sorted_before(a, b, node.is_descending);
    return node.is_descending ? is_labelled_before(b, a, node.labels) : is_labelled_before(a, b, node.labels);
  });
  for (SeriesValues& series : all) {
    control_.give_memory(memory_bytes_of(series));  // `take` counts what it keeps
    if (Status taken = take(std::move(series)); !taken) return taken;
  }
  return Status::ok();
}

}  // namespace statmill

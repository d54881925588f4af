#include "server/query/plan/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "server/query/ops/groups.h"
#include "server/query/ops/histogram_arithmetic.h"
#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/histogram_functions.h"
#include "server/query/ops/map_functions.h"
#include "server/query/ops/ranks.h"
#include "server/query/ops/relabel.h"
#include "server/query/ops/sample_functions.h"
#include "server/query/ops/special_values.h"
#include "server/query/ops/subqueries.h"
#include "server/query/ops/unique_series.h"

namespace statmill {
namespace {

using plan::NodeIndex;

Numbers constant(double value, size_t points) {
  Numbers numbers = Numbers::of_reals(points);
  numbers.present.set(0, points);
  std::fill(numbers.reals.begin(), numbers.reals.end(), value);
  return numbers;
}

// The memory of a column of doubles, with its presence.
size_t column_bytes(const Grid& grid) { return grid.points() * (sizeof(double) + 1); }

std::vector<double> parameters_at(const std::vector<Numbers>& columns, size_t point) {
  std::vector<double> values;
  values.reserve(columns.size());
  for (const Numbers& column : columns) values.push_back(column.value(point));
  return values;
}

// Checks the parameters of each point.
Status check_parameters(LeafFunction function, const std::vector<Numbers>& columns) {
  if (columns.empty()) return Status::ok();
  for (size_t i = 0; i < columns[0].size(); ++i) {
    if (Status s = check_sample_parameters(function, parameters_at(columns, i)); !s) return s;
  }
  return Status::ok();
}

// The text of part `index` of a dotted path; empty if there is none.
std::string_view path_part(std::string_view path, size_t index) {
  for (; index > 0; --index) {
    const size_t dot = path.find('.');
    if (dot == std::string_view::npos) return {};
    path.remove_prefix(dot + 1);
  }
  return path.substr(0, path.find('.'));
}

}  // namespace

Evaluation::Evaluation(const plan::Plan& plan, SeriesSource& source, QueryControl& control, QueryNotes& notes)
    : plan_(plan), source_(source), control_(control), notes_(notes), uses_(plan.nodes.size()) {
  for (const plan::Node& node : plan.nodes) {
    for (const NodeIndex child : plan::children(node)) ++uses_[child];
  }
}

Status Evaluation::vector(NodeIndex index, const Grid& grid, const Take& take) {
  const plan::Node& node = plan_.nodes[index];
  const auto* leaf = std::get_if<plan::Leaf>(&node);
  if (leaf != nullptr && uses_[index] > 1) {
    const LeafKey key{index, grid.start_ms, grid.end_ms, grid.step_ms};
    const auto [found, is_new] = shared_leaves_.try_emplace(key);
    std::vector<SeriesValues>& held = found->second;
    if (is_new) {
      Status status = run_node(*leaf, grid, [&](SeriesValues series) {
        const size_t bytes = memory_bytes_of(series);
        held.push_back(std::move(series));
        return control_.take_memory(bytes);
      });
      if (!status) return status;
    }
    for (const SeriesValues& series : held) {
      if (Status status = take(series); !status) return status;
    }
    return Status::ok();
  }
  return std::visit(
      [&](const auto& each) -> Status {
        if constexpr (requires { run_node(each, grid, take); }) {
          return run_node(each, grid, take);
        } else {
          return Error{ErrorCode::kInvalid, "not a vector"};
        }
      },
      node);
}

Result<Numbers> Evaluation::scalar(NodeIndex index, const Grid& grid) {
  const plan::Node& node = plan_.nodes[index];
  if (const auto* binary = std::get_if<plan::ScalarBinary>(&node)) return scalar_binary(*binary, grid);
  if (Status status = control_.check(); !status) return status.error();
  const HeldMemory held(control_, column_bytes(grid));  // while the column is made
  if (!held.status()) return held.status().error();
  if (const auto* number = std::get_if<plan::Number>(&node)) return constant(number->value, grid.points());
  if (const auto* of = std::get_if<plan::ScalarOf>(&node)) return scalar_of(*of, grid);
  if (!std::holds_alternative<plan::Time>(node)) return Error{ErrorCode::kInvalid, "not a scalar"};
  Numbers times = constant(0, grid.points());
  for (size_t i = 0; i < times.size(); ++i) times.reals[i] = static_cast<double>(grid.at(i)) / 1000;
  return times;
}

Result<Numbers> Evaluation::scalar_binary(const plan::ScalarBinary& node, const Grid& grid) {
  Result<Numbers> left = scalar(node.left, grid);
  if (!left) return left;
  const HeldMemory held(control_, column_bytes(grid));  // of the left side
  if (!held.status()) return held.status().error();
  Result<Numbers> right = scalar(node.right, grid);
  if (!right) return right;
  for (size_t i = 0; i < left->size(); ++i) {
    if (Status status = check_at(i); !status) return status.error();
    double& value = left->reals[i];
    value = plan::is_comparison(node.op) ? static_cast<double>(compare(node.op, value, right->reals[i]))
                                         : arithmetic(node.op, value, right->reals[i]);
  }
  return left;
}

Result<Evaluation::Columns> Evaluation::scalars(const std::vector<NodeIndex>& indices, const Grid& grid) {
  Columns columns;
  for (const NodeIndex index : indices) {
    Result<Numbers> column = scalar(index, grid);
    if (!column) return column.error();
    columns.numbers.push_back(std::move(*column));
    const HeldMemory& held = columns.held.emplace_back(control_, column_bytes(grid));
    if (!held.status()) return held.status().error();
  }
  return columns;
}

Result<Numbers> Evaluation::scalar_of(const plan::ScalarOf& node, const Grid& grid) {
  Numbers numbers = constant(kNan, grid.points());
  Presence once(grid.points());
  Presence again(grid.points());
  Status status = vector(node.child, grid, [&](const SeriesValues& series) {
    if (series.histograms) return Status::ok();
    const Presence& present = series.numbers.present;
    for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) {
      if (once[i]) again.set(i);
      once.set(i);
      numbers.reals[i] = series.numbers.value(i);
    }
    return Status::ok();
  });
  if (!status) return status.error();
  for (size_t i = again.next(0); i < again.size(); i = again.next(i + 1)) numbers.reals[i] = kNan;
  return numbers;
}

Status Evaluation::hold(size_t& before, size_t now) {
  constexpr size_t kStep = 64 << 10;  // the account is shared by all threads, so not each series asks it
  if (now < before + kStep) return Status::ok();
  const size_t more = now - before;
  before = now;
  return control_.take_memory(more);
}

Status Evaluation::run_node(const plan::VectorOf& node, const Grid& grid, const Take& take) {
  Result<Numbers> numbers = scalar(node.scalar, grid);
  if (!numbers) return numbers.error();
  return take({{}, std::move(*numbers)});
}

Status Evaluation::run_node(const plan::Leaf& node, const Grid& grid, const Take& take) {
  const Result<Columns> columns = scalars(node.parameters, grid);
  if (!columns) return columns.error();
  if (Status s = check_parameters(node.function, columns->numbers); !s) return s;
  const LeafRequest request{.matchers = node.matchers,
                            .function = node.function,
                            .grid = grid,
                            .range_ms = node.range_ms,
                            .offset_ms = node.offset_ms,
                            .at_ms = node.at_ms,
                            .parameters = columns->numbers};
  return source_.read(request, notes_, [&](SeriesValues series) {
    if (Status status = control_.check(); !status) return status;
    add_path_parts(series.labels);
    if (!node.keeps_name) series.labels.remove(kMetricName);
    return take(std::move(series));
  });
}

void Evaluation::add_path_parts(SeriesLabels& labels) const {
  if (plan_.path_parts.empty()) return;
  const std::string path(labels.get(kMetricName));
  for (const uint8_t part : plan_.path_parts) {
    const char digits[] = {static_cast<char>('0' + part / 10), static_cast<char>('0' + part % 10)};
    labels.set("__n0" + std::string(digits, 2) + "__", path_part(path, part));
  }
}

Status Evaluation::run_node(const plan::Subquery& node, const Grid& grid, const Take& take) {
  const std::optional<Grid> inner = subquery_grid(node, grid);
  if (!inner) return Status::ok();
  const auto count = [&]() -> Status {
    evaluations_ += inner->points();
    if (evaluations_ <= control_.limits().evaluations_max) return Status::ok();
    return control_.refuse(QueryLimit::kEvaluations, evaluations_);
  };
  if (Status status = count(); !status) return status;
  const Result<Columns> columns = scalars(node.parameters, grid);
  if (!columns) return columns.error();
  if (Status s = check_parameters(node.function, columns->numbers); !s) return s;
  return vector(node.child, *inner, [&](const SeriesValues& series) -> Status {
    if (Status status = count(); !status) return status;
    if (series.histograms && !takes_histograms(node.function)) {
      add_note(notes_.warnings, "histograms of a subquery are only counted");
      return Status::ok();
    }
    Result<SeriesValues> result = subquery_values({node, grid, *inner, columns->numbers}, series, control_);
    if (!result) return result.error();
    return has_values(*result) ? take(std::move(*result)) : Status::ok();
  });
}

Status Evaluation::run_node(const plan::Map& node, const Grid& grid, const Take& take) {
  const Result<Columns> columns = scalars(node.parameters, grid);
  if (!columns) return columns.error();
  const std::vector<Numbers>& parameters = columns->numbers;
  return vector(node.child, grid, [&](SeriesValues series) {
    if (Status status = control_.check(); !status) return status;
    if (series.histograms) {
      if (node.function == plan::MapFunction::kNegate) add_note(notes_.warnings, kPositiveFactors);
      return Status::ok();
    }
    series.labels.remove(kMetricName);
    Numbers& numbers = series.numbers;
    if (node.function == plan::MapFunction::kNegate && !numbers.is_real()) {
      for (int64_t& value : numbers.integers) value = -value;
      return take(std::move(series));
    }
    numbers.make_real();
    std::vector<double> values(parameters.size());
    for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
      for (size_t p = 0; p < values.size(); ++p) values[p] = parameters[p].reals[i];
      const std::optional<double> value = node.function == plan::MapFunction::kTimestamp
                                              ? static_cast<double>(grid.at(i)) / 1000
                                              : map_value(node.function, numbers.reals[i], values);
      if (!value) numbers.present.clear(i);
      numbers.reals[i] = value.value_or(0);
    }
    return has_values(series) ? take(std::move(series)) : Status::ok();
  });
}

Status Evaluation::run_node(const plan::Absent& node, const Grid& grid, const Take& take) {
  const HeldMemory memory(control_, column_bytes(grid));
  if (!memory.status()) return memory.status();
  Numbers ones = Numbers::of_decimals(grid.points(), 0);
  ones.present.set(0, grid.points());
  Status status = vector(node.child, grid, [&](const SeriesValues& series) {
    Presence storage;
    const Presence& present = presence_of(series, storage);
    for (size_t w = 0; w < present.words().size(); ++w) ones.present.words()[w] &= ~present.words()[w];
    return Status::ok();
  });
  if (!status) return status;
  for (size_t i = ones.present.next(0); i < ones.size(); i = ones.present.next(i + 1)) ones.integers[i] = 1;
  if (ones.present.count() == 0) return Status::ok();
  return take({node.labels, std::move(ones)});
}

Status Evaluation::run_node(const plan::Group& node, const Grid& grid, const Take& take) {
  Numbers parameter;
  if (node.parameter != plan::kNoNode) {
    Result<Numbers> column = scalar(node.parameter, grid);
    if (!column) return column.error();
    parameter = std::move(*column);
  }
  const HeldMemory memory(control_, parameter.size() * (sizeof(double) + 1));
  if (!memory.status()) return memory.status();
  Groups groups(node, grid.points());
  size_t held = 0;
  Status status = vector(node.child, grid, [&](SeriesValues series) {
    groups.add(std::move(series));
    return hold(held, groups.memory_bytes());
  });
  if (!status) return status;
  return groups.finish(parameter, notes_, [&](SeriesValues series) {
    const size_t bytes = std::min(held, memory_bytes_of(series));
    held -= bytes;
    control_.give_memory(bytes);  // `take` counts what it keeps
    return take(std::move(series));
  });
}

Status Evaluation::run_node(const plan::Rank& node, const Grid& grid, const Take& take) {
  const Result<Numbers> counts = scalar(node.count, grid);
  if (!counts) return counts.error();
  const HeldMemory memory(control_, column_bytes(grid));
  if (!memory.status()) return memory.status();
  for (const double count : counts->reals) {
    if (std::abs(count) < 9223372036854775808.0) continue;  // also refuses NaN
    return Error{ErrorCode::kInvalid, "Scalar value " + plain_number_text(count) + " overflows int64"};
  }
  Ranks ranks(node, *counts);
  size_t held = 0;
  Status status = vector(node.child, grid, [&](SeriesValues series) {
    ranks.add(std::move(series));
    return hold(held, ranks.memory_bytes());
  });
  if (!status) return status;
  return ranks.finish(take);
}

Status Evaluation::run_node(const plan::LabelReplace& node, const Grid& grid, const Take& take) {
  const Result<LabelReplacement> replacement = LabelReplacement::of(node);
  if (!replacement) return replacement.error();
  return vector(node.child, grid, [&](SeriesValues series) {
    if (Status s = control_.check(); !s) return s;  // a match may take milliseconds
    replacement->apply(series.labels);
    return take(std::move(series));
  });
}

Status Evaluation::run_node(const plan::LabelJoin& node, const Grid& grid, const Take& take) {
  return vector(node.child, grid, [&](SeriesValues series) {
    join_labels(series.labels, node);
    return take(std::move(series));
  });
}

Status Evaluation::run_node(const plan::HistogramMap& node, const Grid& grid, const Take& take) {
  const Result<Columns> columns = scalars(node.parameters, grid);
  if (!columns) return columns.error();
  HistogramMaps maps(node, columns->numbers, grid.points());
  size_t held = 0;
  Status status = vector(node.child, grid, [&](SeriesValues series) {
    if (Status added = maps.add(std::move(series)); !added) return added;
    return hold(held, maps.memory_bytes());
  });
  if (!status) return status;
  return maps.finish(take);
}

Status Evaluation::run_node(const plan::Unique& node, const Grid& grid, const Take& take) {
  UniqueSeries unique(node.refuses_all);
  size_t held = 0;
  Status status = vector(node.child, grid, [&](SeriesValues series) {
    if (Status added = unique.add(std::move(series)); !added) return added;
    return hold(held, unique.memory_bytes());
  });
  if (!status) return status;
  return unique.finish(take);
}

}  // namespace statmill

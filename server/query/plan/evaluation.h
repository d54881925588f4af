// Evaluation: runs a plan over a source of series.
//
// Series go from the leaves to the root one at a time: groups, ranks and joins hold what they must, all other
// nodes hold nothing.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "server/query/plan/nodes.h"
#include "server/query/query_control.h"
#include "server/query/series_source.h"

namespace statmill {

// Confined to one thread; for one query.
class Evaluation {
 public:
  using Take = std::function<Status(SeriesValues)>;

  // All must outlive this. `control` limits evaluations of subqueries and memory, and stops the evaluation.
  Evaluation(const plan::Plan& plan, SeriesSource& source, QueryControl& control, QueryNotes& notes);

  // Calls `take` with each series of the plan's root. Series have at least one value. They come in the order
  // of a sort() or topk() at the root, otherwise in any order. Errors: those of `take` and of the source;
  // kInvalid: the query cannot be computed (series that match twice, a bad parameter); kLimit. Requires: the
  // root is a vector, grid.points() > 0.
  Status run(const Grid& grid, const Take& take) { return vector(plan_.root, grid, take); }
  // Requires: the root is a scalar. All points are present.
  Result<Numbers> run_scalar(const Grid& grid) { return scalar(plan_.root, grid); }

 private:
  Status vector(plan::NodeIndex index, const Grid& grid, const Take& take);
  Result<Numbers> scalar(plan::NodeIndex index, const Grid& grid);
  // Columns of scalars, which count as memory until this ends.
  struct Columns {
    Columns() = default;
    Columns(Columns&&) = default;

    std::vector<Numbers> numbers;
    std::deque<HeldMemory> held;
  };
  Result<Columns> scalars(const std::vector<plan::NodeIndex>& indices, const Grid& grid);
  Result<Numbers> scalar_of(const plan::ScalarOf& node, const Grid& grid);
  Result<Numbers> scalar_binary(const plan::ScalarBinary& node, const Grid& grid);

  // One per type of node.
  Status run_node(const plan::VectorOf& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Leaf& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Subquery& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Map& node, const Grid& grid, const Take& take);
  Status run_node(const plan::ScalarMap& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Absent& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Group& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Rank& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Join& node, const Grid& grid, const Take& take);
  Status run_node(const plan::LabelReplace& node, const Grid& grid, const Take& take);
  Status run_node(const plan::LabelJoin& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Sort& node, const Grid& grid, const Take& take);
  Status run_node(const plan::HistogramMap& node, const Grid& grid, const Take& take);
  Status run_node(const plan::Unique& node, const Grid& grid, const Take& take);

  Status join_values(const plan::Join& node, const Grid& grid, const Take& take);
  Status read_leaf(const plan::Leaf& node, const Grid& grid, const Take& take);
  void add_path_parts(SeriesLabels& labels) const;
  // The control's reason to stop, at every kRowsPerCheck rows of a loop over points.
  Status check_at(size_t row) const {
    constexpr size_t kRowsPerCheck = size_t{64} << 10;  // less than 10 ms, even of pow()
    return row % kRowsPerCheck == 0 ? control_.check() : Status::ok();
  }
  // Accounts for memory that grew from `before` to `now` bytes.
  Status hold(size_t& before, size_t now);

  const plan::Plan& plan_;
  SeriesSource& source_;
  QueryControl& control_;
  QueryNotes& notes_;
  uint64_t evaluations_ = 0;    // of subqueries
  std::vector<uint32_t> uses_;  // of each node, by others
  // The series of leaves that several nodes use, so that each is read once.
  using LeafKey = std::tuple<plan::NodeIndex, int64_t, int64_t, int64_t>;
  std::map<LeafKey, std::vector<SeriesValues>> shared_leaves_;
};

}  // namespace statmill

// PlanBuilder: puts the nodes of a plan together, and knows of each vector how its names may differ.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/promql/ast.h"
#include "server/query/plan/nodes.h"

namespace statmill::promql {

// How the label `__name__` tells series apart. If it differs, series may become equal when it is dropped.
enum class NameUse : uint8_t { kNone, kSame, kDiffers };

// How series that became equal when their names were dropped are checked.
enum class RepeatCheck : uint8_t {
  kNone,    // there are none
  kPoints,  // no two may have a value at the same point
  kSeries,  // no two may be equal
};

struct Operand {
  plan::NodeIndex node = plan::kNoNode;
  NameUse names = NameUse::kNone;
  RepeatCheck check = RepeatCheck::kNone;  // still to be done
};

// Returns the labels of absent(): what the selector's matchers of equality say, if only one names the label.
SeriesLabels absent_labels(const Selector& selector);

class PlanBuilder {
 public:
  // Equal leaves become one node, so that they are read once.
  plan::NodeIndex add(plan::Node node);
  // The same vector, after its last node has dropped the names of its series.
  static Operand after_dropping_names(Operand operand, RepeatCheck check);
  // Adds the check that is still to be done, and returns the node.
  plan::NodeIndex checked(Operand operand);
  // The same, as the operand of an aggregation. Queries over dotted paths have no other labels than the name,
  // so an aggregation adds up all of their series.
  plan::NodeIndex checked_for_group(Operand operand);
  // Two series of equal labels at a point are an error.
  plan::NodeIndex unique(plan::NodeIndex child, bool refuses_all = false);
  // Notes the labels that name a part of a path.
  void note_label(std::string_view label);

  plan::Plan finish(plan::NodeIndex root);

 private:
  plan::Plan plan_;
  bool uses_paths_ = false;  // matches globs of paths, or names their parts
};

// Returns the conditions on the labels of series, the name's first.
std::vector<LabelMatcher> matchers_of(const Selector& selector);

}  // namespace statmill::promql

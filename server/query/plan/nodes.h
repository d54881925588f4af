// Plan: what a query computes, as typed nodes. Each query language compiles to it; tests compare its text
// (print.h); Evaluation (evaluation.h) runs it.
//
// A plan never changes after it was built. Nodes are in one array, each child before its parent, so that a
// plan is a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/names/label_matcher.h"
#include "server/query/labels.h"
#include "server/query/series_source.h"

namespace statmill::plan {

using NodeIndex = uint32_t;
inline constexpr NodeIndex kNoNode = UINT32_MAX;

enum class Operator : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kPow,
  kAtan2,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kUnless,
};

constexpr bool is_comparison(Operator op) {
  return op >= Operator::kEqual && op <= Operator::kGreaterOrEqual;
}

// As in PromQL: "+", "atan2".
std::string_view operator_text(Operator op);

// Scalars: one number per point.

struct Number {
  double value = 0;
};

struct Time {};  // seconds since 1970

struct ScalarOf {  // the value of the only series of a vector, NaN if there is none or there are several
  NodeIndex child = kNoNode;
};

struct ScalarBinary {  // a comparison gives 0 or 1
  Operator op = Operator::kAdd;
  NodeIndex left = kNoNode;
  NodeIndex right = kNoNode;
};

// A text, as the whole of a query.
struct Text {
  std::string value;
};

// Vectors: series with one number, or histogram, per point.

struct VectorOf {  // one series without labels
  NodeIndex scalar = kNoNode;
};

// Stored series; the fields are those of LeafRequest.
struct Leaf {
  std::vector<LabelMatcher> matchers;
  LeafFunction function = LeafFunction::kInstant;
  int64_t range_ms = 0;
  int64_t offset_ms = 0;
  std::optional<int64_t> at_ms;
  std::vector<NodeIndex> parameters;
  bool keeps_name = true;
  bool operator==(const Leaf&) const = default;
};

// A function of the values of `child` at the multiples of `step_ms` in (T - range, T].
struct Subquery {
  NodeIndex child = kNoNode;
  LeafFunction function = LeafFunction::kLast;
  int64_t range_ms = 0;
  int64_t step_ms = 0;
  int64_t offset_ms = 0;
  std::optional<int64_t> at_ms;
  std::vector<NodeIndex> parameters;
  bool keeps_name = false;
};

enum class MapFunction : uint8_t {
  kNegate,
  kAbs,
  kCeil,
  kFloor,
  kRound,  // parameter: to the nearest multiple of it
  kSqrt,
  kExp,
  kLn,
  kLog2,
  kLog10,
  kSgn,
  kClamp,  // parameters: least, greatest
  kClampMin,
  kClampMax,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kDegrees,
  kRadians,
  kYear,  // of a time in seconds since 1970, UTC
  kMonth,
  kDayOfMonth,
  kDayOfWeek,
  kDayOfYear,
  kDaysInMonth,
  kHour,
  kMinute,
  kTimestamp,  // the time of the point
};

// A function of each value. Drops the name.
struct Map {
  NodeIndex child = kNoNode;
  MapFunction function = MapFunction::kAbs;
  std::vector<NodeIndex> parameters;  // scalars
};

// An operator between each value and a scalar. Arithmetic and `bool` drop the name; a comparison without it
// keeps the values for which it is true.
struct ScalarMap {
  NodeIndex child = kNoNode;
  Operator op = Operator::kAdd;
  NodeIndex scalar = kNoNode;
  bool is_scalar_left = false;
  bool returns_bool = false;
};

// 1 where `child` has no series.
struct Absent {
  NodeIndex child = kNoNode;
  SeriesLabels labels;
};

struct Grouping {
  bool is_without = false;
  std::vector<std::string> labels;
};

enum class GroupFunction : uint8_t {
  kSum,
  kAvg,
  kMin,
  kMax,
  kCount,
  kGroup,
  kStddev,
  kStdvar,
  kQuantile,     // parameter: 0 to 1
  kCountValues,  // `label` gets the value
};

struct Group {
  NodeIndex child = kNoNode;
  GroupFunction function = GroupFunction::kSum;
  Grouping grouping;
  NodeIndex parameter = kNoNode;
  std::string label;
};

enum class RankFunction : uint8_t { kTop, kBottom, kFirst };

// At each point the k greatest, the k least, or the first k series of each group, by labels.
struct Rank {
  NodeIndex child = kNoNode;
  RankFunction function = RankFunction::kTop;
  Grouping grouping;
  NodeIndex count = kNoNode;
};

enum class Cardinality : uint8_t { kOneToOne, kManyToOne, kOneToMany, kManyToMany };

struct Matching {
  Cardinality cardinality = Cardinality::kOneToOne;
  bool is_on = false;
  std::vector<std::string> labels;
  std::vector<std::string> include;
};

struct Join {
  NodeIndex left = kNoNode;
  NodeIndex right = kNoNode;
  Operator op = Operator::kAdd;
  bool returns_bool = false;
  Matching matching;
};

struct LabelReplace {
  NodeIndex child = kNoNode;
  std::string destination;
  std::string replacement;  // $1, ${name}
  std::string source;
  std::string regex;  // valid, matches the whole value
};

struct LabelJoin {
  NodeIndex child = kNoNode;
  std::string destination;
  std::string separator;
  std::vector<std::string> sources;
};

// Sorts the answer of an instant query.
struct Sort {
  NodeIndex child = kNoNode;
  bool is_descending = false;
  bool is_by_labels = false;  // otherwise by value
  std::vector<std::string> labels;
};

enum class HistogramFunction : uint8_t {
  kQuantile,   // parameter: 0 to 1
  kQuantiles,  // parameters: 0 to 1 each; `label` gets them
  kFraction,   // parameters: lower, upper
  kCount,
  kSum,
  kAvg,
  kStddev,
  kStdvar,
  kMin,
  kMax,
};

// A number of each histogram. The quantiles also read classic histograms, series with `le`. Drops the name.
struct HistogramMap {
  NodeIndex child = kNoNode;
  HistogramFunction function = HistogramFunction::kQuantile;
  std::vector<NodeIndex> parameters;
  std::string label;
};

// Joins series of equal labels that have no common point. Two values at a point are an error; with
// `refuses_all`, any two series of equal labels are.
struct Unique {
  NodeIndex child = kNoNode;
  bool refuses_all = false;
};

using Node =
    std::variant<Number, Time, ScalarOf, ScalarBinary, Text, VectorOf, Leaf, Subquery, Map, ScalarMap, Absent,
                 Group, Rank, Join, LabelReplace, LabelJoin, Sort, HistogramMap, Unique>;

inline bool is_scalar(const Node& node) {
  return std::holds_alternative<Number>(node) || std::holds_alternative<Time>(node) ||
         std::holds_alternative<ScalarOf>(node) || std::holds_alternative<ScalarBinary>(node);
}

// The nodes that a node reads, in the order of its text.
std::vector<NodeIndex> children(const Node& node);

struct Plan {
  std::vector<Node> nodes;  // each child before its parent
  NodeIndex root = kNoNode;
  // The parts of a path, `__n000__` to `__n031__`, that the query names: each series gets these labels.
  std::vector<uint8_t> path_parts;
};

}  // namespace statmill::plan

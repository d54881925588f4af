// Function: one function of Graphite's targets: what it is called with, and what it does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/graphite/value.h"

namespace statmill::graphite {

class Call;

// The types of parameters, by Graphite's names.
enum class ParameterType : uint8_t {
  kAggFunc,
  kAggOrSeriesFunc,
  kAny,
  kBoolean,
  kDate,
  kFloat,
  kInteger,
  kInterval,
  kIntOrInf,
  kIntOrInterval,
  kNode,
  kNodeOrTag,
  kSeriesList,
  kSeriesLists,
  kString,
  kTag,
};
std::string_view parameter_type_name(ParameterType type);

struct FunctionParameter {
  std::string_view name;
  ParameterType type = ParameterType::kAny;
  bool is_required = false;
  bool is_repeated = false;               // any number of arguments; only the last parameter is
  std::optional<std::string_view> value;  // without an argument; as JSON has it, a text without quotes
};

// Says if the summary of a band may be made of the stored buckets before the function, in place of the values
// after it. Both are the same then, if no values are missing.
enum class Passing : uint8_t {
  kNothing,
  kAll,          // the function changes no value
  kFactor,       // multiplies by a constant: if it is above 0, all but counts
  kOffset,       // adds a constant: all but sums, counts and deviations
  kSum,          // of several series: averages and sums
  kAverage,      // averages
  kMin,          // minima
  kMax,          // maxima
  kConsolidate,  // consolidateBy(), which says what the summary is
  kCumulative,   // the same, with sums
  kMerge,        // by a named function, which may be of the merged buckets of all series: p99, pool
};

// The texts are string literals.
struct Function {
  std::string_view name;
  std::string_view group;  // Graphite's: "Combine", "Transform"
  // Graphite's parameters, one after another: NAME:TYPE, with ! if it is required, * if it is repeated, and
  // =VALUE if it has a default. The type is left out if it is the name.
  std::string_view signature;
  std::string_view description;
  Result<Value> (*run)(Call& call);
  Passing passing = Passing::kNothing;
  bool combines = false;  // may be the callback of groupByNode()
  // Returns the groups that a function makes of its series, if it merges their buckets. The arguments are
  // bound, but no series is read yet. nullptr: which series it merges depends on all of them.
  GroupOf (*groups)(std::span<const Value> arguments) = nullptr;
};

// Requires: a signature of the table.
std::vector<FunctionParameter> parameters_of(std::string_view signature);

// All functions, by name. seriesByTag() is one of them; the evaluation reads its series itself.
std::span<const Function> functions();
// Returns nullptr if there is none.
const Function* find_function(std::string_view name);

}  // namespace statmill::graphite

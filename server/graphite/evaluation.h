// Evaluation: computes targets from their syntax trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time_text.h"
#include "server/graphite/call.h"
#include "server/graphite/target.h"
#include "server/graphite/target_source.h"

namespace statmill::graphite {

struct EvaluationOptions {
  RequestRange range;
  int64_t now_s = 0;
  Zone zone = utc;
  size_t points = 0;                          // per series of the answer, at most; 0: any number
  std::optional<double> x_files_factor = {};  // if it is set, no stored buckets are merged
};

// Confined to one thread.
class Evaluation {
 public:
  // The source and the control must outlive it.
  Evaluation(TargetSource& source, QueryControl& control, EvaluationOptions options)
      : source_(source), control_(control), options_(std::move(options)) {}

  // Returns series that have at most options.points values. The control holds their memory afterwards.
  // Errors: kInvalid, which names the function, and those of the source and the control.
  Result<SeriesList> evaluate(const SyntaxTree& tree);

 private:
  // What those above a node ask of it.
  struct Context {
    RequestRange range;
    size_t points = 0;         // the source may merge buckets to so many values; 0: it may not
    size_t merged_points = 0;  // the same if they are read as percentiles, which values cannot be merged to
    std::optional<Summary> read;  // what the values are of the buckets; nullopt: as those below say
    bool keeps_buckets = false;   // a function above merges them
    GroupOf group_of = {};        // as FetchRequest has it
    size_t depth = 0;             // of targets that functions evaluate
  };
  class NodeCaller;

  Result<Value> value_of(const SyntaxTree& tree, NodeId id, const Context& context);
  Result<Value> call_of(const SyntaxTree& tree, NodeId id, const Context& context);
  Result<SeriesList> fetch(FetchRequest request, const Context& context);
  Result<SeriesList> fetch_by_tags(const SyntaxTree& tree, NodeId id, const Context& context);
  Result<SeriesList> list_of(const SyntaxTree& tree, NodeId id, const Context& context);
  Result<SeriesList> list_of_text(std::string_view target, const Context& context);
  Result<Context> below(const SyntaxTree& tree, const SyntaxTree::Node& call, const Function& function,
                        const Context& context) const;

  TargetSource& source_;
  QueryControl& control_;
  const EvaluationOptions options_;
  uint64_t evaluated_ = 0;  // nodes
};

}  // namespace statmill::graphite

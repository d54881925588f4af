// Which summaries of bands may be made of the stored buckets, below a function of a target.
#pragma once

#include <optional>

#include "server/graphite/function.h"
#include "server/graphite/target.h"

namespace statmill::graphite {

// Returns true if a bucket has this summary of its samples: the average, sum, minimum, maximum, count,
// deviation or percentiles.
bool is_read_of_buckets(const Summary& summary);

// Returns how several values that are this summary of buckets become one: sums are added up.
Summary after_reading(const Summary& read);

// Returns true if a function that combines series may combine such summaries of bands: sums of averages and
// sums, minima of minima, maxima of maxima, averages of averages.
bool combines(const Summary& by, const Summary& bands);

// Returns the function of a call of groupByNode(), aggregate() and such if it is of the merged buckets of all
// series; nullopt for others.
std::optional<Summary> merging_of(const SyntaxTree& tree, const SyntaxTree::Node& call,
                                  const Function& function);

// Returns true if the arguments of a call are the same series as its result, but for their names.
bool keeps_buckets(const Function& function);

// Returns what the arguments of a call may be read as in place of a summary of its result: nullopt if the
// function's result is another then. The inner nullopt: what each argument says itself. `asked`: by those
// above the call, nullopt if by none.
std::optional<std::optional<Summary>> summary_below(const SyntaxTree& tree, const SyntaxTree::Node& call,
                                                    const Function& function,
                                                    const std::optional<Summary>& asked);

}  // namespace statmill::graphite

// A suite is a list of named measures, which run one after the other: all of them, or the requested ones.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

using Measured = Result<std::vector<Measurement>>;

template <class Context>
struct Measure {
  std::string name;
  std::function<Measured(const Context&)> run;
};

template <class Context>
std::vector<std::string> names_of(const std::vector<Measure<Context>>& measures) {
  std::vector<std::string> names;
  names.reserve(measures.size());
  for (const Measure<Context>& measure : measures) names.push_back(measure.name);
  return names;
}

// Runs the measures that `only` names, or all if it is empty. Errors: that of the first measure that fails,
// with its name.
template <class Context>
Measured run_measures(const std::vector<Measure<Context>>& measures, const std::vector<std::string>& only,
                      const Context& context) {
  std::vector<Measurement> out;
  for (const Measure<Context>& measure : measures) {
    const bool is_asked = only.empty() || std::find(only.begin(), only.end(), measure.name) != only.end();
    if (!is_asked) continue;
    const Measured measured = measure.run(context);
    if (!measured) return Error(measured.error()).with(measure.name);
    out.insert(out.end(), measured->begin(), measured->end());
  }
  return out;
}

}  // namespace statmill

// Binds the arguments of a call to the parameters of its function.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/graphite/function.h"

namespace statmill::graphite {

struct NamedValue {
  std::string name;  // empty: by its place
  Value value;
};

// Returns an element for each parameter, with defaults, and more if the last one is repeated. Values have the
// type of their parameter then: numbers for integer, float and node, texts for interval, string, date, tag
// and the names of functions. Errors: kInvalid.
Result<std::vector<Value>> bind_arguments(const Function& function, std::vector<NamedValue> arguments);

}  // namespace statmill::graphite

// The series that a text of a request selects: a PromQL selector, the path of series, or a glob of names.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/names/label_matcher.h"

namespace statmill {

// Parses `{"host.block.busy_ns", host="web1"}`, `host.cpu.busy_percent`, which selects all series of that
// path, or `host.cpu.*`. Errors: kInvalid, without the name of a parameter.
Result<std::vector<LabelMatcher>> parse_selector_text(std::string_view text);

}  // namespace statmill

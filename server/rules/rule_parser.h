// parse_rules(): the text of a rule file of Prometheus (YAML) -> its groups, checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/rules/rule.h"
#include "server/rules/rule_options.h"

namespace statmill::rules {

// Checks what Prometheus does: each field is known and given once, names are unique and valid, expressions
// and templates can be parsed. `options` has what a group gets that says nothing. Errors: kInvalid with the
// line, as in "line 7: ...".
Result<std::vector<RuleGroup>> parse_rules(std::string_view text, const std::string& file,
                                           const RuleOptions& options);

}  // namespace statmill::rules

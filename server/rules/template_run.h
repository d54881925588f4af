// expand_template(): the text that a template becomes for one alert.
#pragma once

#include "base/result.h"
#include "server/rules/template_functions.h"
#include "server/rules/template_tree.h"
#include "server/rules/template_value.h"

namespace statmill::rules {

// A template may make so many steps: a word of a command, or a node in a block, is one.
inline constexpr size_t kTemplateStepsMax = 10'000;

// `data` is the dot, and what $labels, $value and so on are. Errors: kInvalid: a field or an argument that a
// value does not have, a text longer than kTemplateTextBytesMax, too many steps; those of queries.
Result<std::string> expand_template(const TemplateTree& tree, const TemplateData& data,
                                    const TemplateServices& services);

}  // namespace statmill::rules

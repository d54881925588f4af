// parse_template(): the text of a label or an annotation of an alert -> its syntax tree.
//
// The language is the part of Go's text/template (pkg.go.dev/text/template) that rules use: values, fields,
// variables, functions, pipelines, comments, `if`, `range`, `with`, `else`, and `-` at a brace, which removes
// blanks. `define`, `template`, `block`, `break` and `continue` are errors.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "server/rules/template_tree.h"

namespace statmill::rules {

inline constexpr size_t kTemplateBytesMax = size_t{16} << 10;
inline constexpr size_t kTemplateDepthMax = 32;  // of parentheses and blocks

// The variables that exist at the start: $ $labels $externalLabels $externalURL $value. A name that is none
// of these, of the template or of a function is an error, as are texts beyond the limits: kInvalid, with the
// line. Cost: proportional to the text.
Result<TemplateTree> parse_template(std::string_view text);

}  // namespace statmill::rules

// Parses the target language of Graphite: paths with globs, calls, pipes and template().
//
// Format: https://graphite.readthedocs.io/en/1.1.8/render_api.html#target. A call of template() is replaced
// by what it stands for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "server/graphite/target.h"

namespace statmill::graphite {

inline constexpr size_t kTargetTextMax = size_t{64} << 10;  // bytes of one target
inline constexpr size_t kTargetDepthMax = 64;               // calls inside calls
inline constexpr size_t kTargetNodesMax = 1000;             // calls, paths and values of one target

// A name and the text that replaces $name in the paths of template(): a parameter `template[name]` of a
// request.
using TemplateValue = std::pair<std::string, std::string>;

// Errors: kInvalid; the message has the position, in bytes from 1: "at 5: expected ) after the arguments".
Result<SyntaxTree> parse_target(std::string_view text, std::span<const TemplateValue> values = {});

}  // namespace statmill::graphite

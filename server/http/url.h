// Url: the target of a request, checked and taken apart into path and decoded parameters.
//
// Strict where others guess: a path that two readers could understand differently is refused, never cleaned
// up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http/http_refusal.h"

namespace statmill {

inline constexpr size_t kTargetBytesMax = 4096;

struct Parameter {
  std::string name;
  std::string value;
};

struct Url {
  std::string path;                   // decoded
  std::vector<Parameter> parameters;  // decoded, in order

  // The first value of a parameter, or none.
  std::optional<std::string_view> find(std::string_view name) const;
};

// One parameter that an endpoint takes.
struct ParameterRule {
  std::string_view name;
  bool repeatable = false;
};

// What is wrong with a target as it stands in the request line; none: parse_url will take its bytes.
std::optional<HttpRefusal> check_target(std::string_view target);

// `+` in a parameter is a space, as forms send it. Errors: kInvalid, for what check_target refuses and for a
// parameter without a name.
Result<Url> parse_url(std::string_view target);

// Refuses (kInvalid) parameters that no rule names and ones given twice that may be given once; names them.
Status check_parameters(const Url& url, std::span<const ParameterRule> rules);

}  // namespace statmill

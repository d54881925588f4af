// Url: the target of a request, checked and split into path and parameters, both decoded.
//
// A path that two parsers could understand differently is refused, never normalized.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/verdict.h"
#include "server/http/http_refusal.h"

namespace statmill {

inline constexpr size_t kTargetBytesMax = 16384;

struct Parameter {
  std::string name;
  std::string value;
};

struct Url {
  std::string path;                   // decoded
  std::vector<Parameter> parameters;  // decoded, in order

  // Returns the first value of a parameter; nullopt if it is missing.
  std::optional<std::string_view> find(std::string_view name) const;
};

// One parameter of an endpoint.
struct ParameterRule {
  std::string_view name;
  bool repeatable = false;
};

// Checks a target from a request line. Accepts it if its bytes are valid for parse_url().
Verdict<HttpRefusal> check_target(std::string_view target);

// `+` in a parameter is a space, as in forms. Errors: kInvalid, for targets that check_target() refuses and
// for a parameter without a name.
Result<Url> parse_url(std::string_view target);

// Parses a body of the type application/x-www-form-urlencoded. Errors: kInvalid, for a bad escape, and for a
// parameter without a name.
Result<std::vector<Parameter>> parse_form(std::string_view body);

// Errors: kInvalid with the name of a parameter that has no rule, or that is repeated but not repeatable.
Status check_parameters(const Url& url, std::span<const ParameterRule> rules);

}  // namespace statmill

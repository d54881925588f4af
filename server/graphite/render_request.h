// RenderRequest: the parameters of Graphite's /render.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/graphite/evaluation.h"
#include "server/graphite/target.h"
#include "server/http/url.h"

namespace statmill::graphite {

inline constexpr size_t kRenderTargetsMax = 100;

struct RenderRequest {
  enum class Format : uint8_t { kJson, kCsv, kRaw, kDygraph };

  std::vector<SyntaxTree> targets;
  EvaluationOptions options;
  Format format = Format::kJson;
  bool without_nulls = false;
};

// A time that is missing or empty, or `undefined`, has the default: -1d and now. `from` and `until` may be in
// either order. Errors: kInvalid, which names the parameter; kLimit (kRenderTargetsMax).
Result<RenderRequest> parse_render_request(const Url& url, Timestamp now);

}  // namespace statmill::graphite

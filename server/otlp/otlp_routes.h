// The routes of OTLP over HTTP (docs/opentelemetry.md).
#pragma once

#include <cstddef>
#include <vector>

#include "base/clock.h"
#include "server/http/router.h"
#include "server/otlp/otlp_intake.h"

namespace statmill {

// The longest body; the longest message in either encoding, after decompression. That of JSON needs five
// times as many bytes while it is read.
inline constexpr size_t kOtlpBodyBytesMax = size_t{20} << 20;
inline constexpr size_t kOtlpMessageBytesMax = size_t{64} << 20;
inline constexpr size_t kOtlpJsonBytesMax = size_t{20} << 20;

// Both must outlive the routes.
std::vector<Route> otlp_routes(const OtlpIntake& intake, const Clock& clock);

}  // namespace statmill

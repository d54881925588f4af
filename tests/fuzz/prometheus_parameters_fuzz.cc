// Reads bytes as a form with the parameters of Prometheus' HTTP API. They are refused, or their values are
// within their bounds, and times, durations and selectors stay the same when they are written and read again.
// The bytes are also a name, which its escapes mean.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "server/promql/literals.h"
#include "server/promql/name_escapes.h"
#include "server/promql/prometheus_parameters.h"

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'500)};
// Below it, a double of seconds has each millisecond.
constexpr int64_t kExactMs = int64_t{1} << 51;

std::string seconds_text(int64_t ms) {
  std::string fraction = std::to_string(std::abs(ms % 1000));
  fraction.insert(0, 3 - fraction.size(), '0');
  return (ms < 0 ? "-" : "") + std::to_string(std::abs(ms / 1000)) + "." + fraction;
}

void check_time(std::string_view text) {
  const auto ms = parse_api_time(text);
  if (!ms || std::abs(*ms) >= kExactMs) return;
  const auto again = parse_api_time(seconds_text(*ms));
  SM_CHECK(again && *again == *ms);
}

void check_duration(std::string_view text) {
  const auto ms = parse_api_duration(text);
  if (!ms || std::abs(*ms) >= kExactMs) return;
  const auto again = parse_api_duration(seconds_text(*ms));
  SM_CHECK(again && *again == *ms);
}

void check_range(const Url& url) {
  if (const auto range = parse_range(url)) {
    SM_CHECK(range->start_ms <= range->end_ms && range->step_ms > 0);
    SM_CHECK(range->points() > 0 && std::cmp_less_equal(range->points(), kPrometheusPointsMax + 1));
    SM_CHECK(range->at(range->points() - 1) <= range->end_ms);
  }
  if (const auto lookback = parse_lookback(url)) SM_CHECK(*lookback > 0);
  static_cast<void>(parse_instant(url, kNow));
  constexpr size_t kOtherwise = 7;
  if (const auto limit = parse_limit(url, kOtherwise)) SM_CHECK(*limit > 0);
}

std::string selector_text(const std::vector<LabelMatcher>& matchers) {
  constexpr std::array<std::string_view, 4> kOps = {"=", "!=", "=~", "!~"};
  std::string out = "{";
  for (const LabelMatcher& matcher : matchers) {
    if (out.size() > 1) out += ',';
    promql::append_quoted(out, matcher.label);
    out += kOps[static_cast<size_t>(matcher.op)];
    promql::append_quoted(out, matcher.value);
  }
  return out + "}";
}

void check_selectors(const Url& url) {
  const auto request = parse_catalog_request(url);
  if (!request) {
    SM_CHECK(request.error().code == ErrorCode::kInvalid);
    SM_CHECK(request.error().message.starts_with("invalid parameter "));
    return;
  }
  SM_CHECK(request->start_ms <= request->end_ms && request->limit > 0);
  for (const auto& matchers : request->selectors) {
    const Url written{"/x", {{"match[]", selector_text(matchers)}}};
    const auto again = parse_catalog_request(written);
    // What escaped names mean may be a selector that no text has: of an empty name, for example.
    if (!again) continue;
    SM_CHECK(again->selectors.front() == matchers);
  }
}

void check_escapes(std::string_view name) {
  std::string escaped = "U__";
  for (std::string_view rest = name; !rest.empty();) {
    const promql::Character c = promql::first_character(rest);
    if (!c.is_utf8) return;
    std::array<char, 12> hex;
    const int digits = std::snprintf(hex.data(), hex.size(), "_%x_", static_cast<unsigned>(c.code));
    escaped.append(hex.data(), static_cast<size_t>(digits));
    rest.remove_prefix(c.size);
  }
  SM_CHECK(promql::unescaped_name(escaped) == name);
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_time(bytes);
  check_duration(bytes);
  check_escapes(bytes);
  auto parameters = parse_form(bytes);
  if (!parameters) return 0;
  const Url url{"/x", *std::move(parameters)};
  check_range(url);
  check_selectors(url);
  return 0;
}

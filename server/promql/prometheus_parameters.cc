#include "server/promql/prometheus_parameters.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/number_text.h"
#include "server/promql/compile.h"
#include "server/promql/literals.h"
#include "server/promql/name_escapes.h"
#include "server/promql/parser.h"

namespace statmill {
namespace {

constexpr double kMillisecondsMax = 9e15;  // beyond it, doubles do not have each millisecond

Error invalid_parameter(std::string_view name, std::string_view what) {
  return {ErrorCode::kInvalid, "invalid parameter \"" + std::string(name) + "\": " + std::string(what)};
}

std::optional<int64_t> parse_milliseconds(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  const double ms = std::round(seconds * 1000);
  if (!(std::abs(ms) <= kMillisecondsMax)) return std::nullopt;
  return static_cast<int64_t>(ms);
}

// Takes `digits` digits and the character after them, if `separator` is one.
std::optional<int> consume_digits(std::string_view& text, size_t digits, std::string_view separator) {
  if (text.size() < digits + separator.size() || text.substr(digits, separator.size()) != separator)
    return {};
  const std::optional<int> value = parse_as<int>(text.substr(0, digits));
  if (!value || text[0] == '-') return {};
  text.remove_prefix(digits + separator.size());
  return value;
}

// The offset of a zone, "Z" or "+01:00", in minutes.
std::optional<int> parse_zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-')) return {};
  const int sign = text[0] == '+' ? 1 : -1;
  text.remove_prefix(1);
  const std::optional<int> hours = consume_digits(text, 2, ":");
  const std::optional<int> minutes = consume_digits(text, 2, "");
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return {};
  return sign * (*hours * 60 + *minutes);
}

std::optional<int64_t> parse_rfc3339(std::string_view text) {
  namespace chrono = std::chrono;
  const auto year = consume_digits(text, 4, "-");
  const auto month = year ? consume_digits(text, 2, "-") : std::nullopt;
  const auto day = month ? consume_digits(text, 2, "T") : std::nullopt;
  const auto hour = day ? consume_digits(text, 2, ":") : std::nullopt;
  const auto minute = hour ? consume_digits(text, 2, ":") : std::nullopt;
  const auto second = minute ? consume_digits(text, 2, "") : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return {};
  const chrono::year_month_day date{chrono::year(*year), chrono::month(static_cast<unsigned>(*month)),
                                    chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  int64_t ms = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    int64_t unit = 100;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), unit /= 10) {
      ms += (text[0] - '0') * unit;
    }
  }
  const std::optional<int> zone = parse_zone(text);
  if (!zone) return {};
  const int64_t days = chrono::sys_days(date).time_since_epoch().count();
  const int64_t minutes = days * 1440 + *hour * 60 + *minute - *zone;
  return (minutes * 60 + *second) * 1000 + ms;
}

// Adds a selector, and the one that its escaped names mean: a series may also have the name as it is.
void add_selector(std::vector<std::vector<LabelMatcher>>& selectors, std::vector<LabelMatcher> matchers) {
  std::vector<LabelMatcher> meant = matchers;
  for (LabelMatcher& matcher : meant) {
    matcher.label = promql::unescaped_name(matcher.label);
    if (matcher.label == kMetricName && matcher.op == LabelMatcher::Op::kEqual)
      matcher.value = promql::unescaped_name(matcher.value);
  }
  const bool has_escapes = meant != matchers;
  selectors.push_back(std::move(matchers));
  if (has_escapes) selectors.push_back(std::move(meant));
}

Result<int64_t> time_parameter(const Url& url, std::string_view name, std::optional<int64_t> otherwise) {
  const std::optional<std::string_view> text = url.find(name);
  if ((!text || text->empty()) && otherwise) return *otherwise;
  Result<int64_t> time = parse_api_time(text.value_or(""));
  if (!time) return invalid_parameter(name, time.error().message);
  return time;
}

}  // namespace

Result<int64_t> parse_api_time(std::string_view text) {
  if (const auto ms = parse_milliseconds(text)) return *ms;
  if (const auto ms = parse_rfc3339(text)) return *ms;
  return Error{ErrorCode::kInvalid, "cannot parse " + promql::quoted_text(text) + " to a valid timestamp"};
}

Result<int64_t> parse_api_duration(std::string_view text) {
  if (const auto ms = parse_milliseconds(text)) return *ms;
  if (const Result<Duration> duration = promql::parse_duration_literal(text)) return duration->count();
  return Error{ErrorCode::kInvalid, "cannot parse " + promql::quoted_text(text) + " to a valid duration"};
}

Result<Grid> parse_range(const Url& url) {
  const Result<int64_t> start = time_parameter(url, "start", std::nullopt);
  if (!start) return start.error();
  const Result<int64_t> end = time_parameter(url, "end", std::nullopt);
  if (!end) return end.error();
  if (*end < *start) return invalid_parameter("end", "end timestamp must not be before start time");
  const Result<int64_t> step = parse_api_duration(url.find("step").value_or(""));
  if (!step) return invalid_parameter("step", step.error().message);
  if (*step <= 0) {
    return invalid_parameter(
        "step", "zero or negative query resolution step widths are not accepted. Try a positive integer");
  }
  if ((*end - *start) / *step > kPrometheusPointsMax) {
    return Error{ErrorCode::kInvalid,
                 "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query "
                 "resolution (?step=XX)"};
  }
  return Grid{.start_ms = *start, .end_ms = *end, .step_ms = *step};
}

Result<int64_t> parse_instant(const Url& url, Timestamp now) {
  return time_parameter(url, "time", now.time_since_epoch().count());
}

Result<int64_t> parse_lookback(const Url& url) {
  const std::optional<std::string_view> text = url.find("lookback_delta");
  if (!text || text->empty()) return promql::kDefaultLookbackMs;
  Result<int64_t> duration = parse_api_duration(*text);
  if (!duration) return invalid_parameter("lookback_delta", duration.error().message);
  if (*duration <= 0) return invalid_parameter("lookback_delta", "must be positive");
  return duration;
}

Result<size_t> parse_limit(const Url& url, size_t otherwise, std::string_view parameter) {
  const std::optional<std::string_view> text = url.find(parameter);
  if (!text || text->empty()) return otherwise;
  const std::optional<size_t> count = parse_as<size_t>(*text);
  if (!count) return invalid_parameter(parameter, "cannot parse " + promql::quoted_text(*text));
  return *count > 0 ? *count : otherwise;
}

Result<ApiRange> parse_api_range(const Url& url) {
  ApiRange range;
  const Result<int64_t> start = time_parameter(url, "start", range.start_ms);
  if (!start) return start.error();
  const Result<int64_t> end = time_parameter(url, "end", range.end_ms);
  if (!end) return end.error();
  if (*end < *start) return invalid_parameter("end", "end timestamp must not be before start time");
  return ApiRange{*start, *end};
}

Result<CatalogRequest> parse_catalog_request(const Url& url) {
  CatalogRequest request;
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name != "match[]") continue;
    const Result<promql::SyntaxTree> tree = promql::parse_promql(parameter.value);
    if (!tree) return invalid_parameter("match[]", tree.error().message);
    const auto* selector = std::get_if<promql::Selector>(&tree->at(tree->root).expression);
    if (selector == nullptr) return invalid_parameter("match[]", "expected a selector of series");
    const Result<plan::Plan> plan = promql::compile(*tree, {});
    if (!plan) return invalid_parameter("match[]", plan.error().message);
    add_selector(request.selectors, std::get<plan::Leaf>(plan->nodes[plan->root]).matchers);
  }
  const Result<ApiRange> range = parse_api_range(url);
  if (!range) return range.error();
  request.start_ms = range->start_ms;
  request.end_ms = range->end_ms;
  const Result<size_t> limit = parse_limit(url, request.limit);
  if (!limit) return limit.error();
  request.limit = *limit;
  return request;
}

}  // namespace statmill

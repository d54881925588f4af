#include "server/graphite/render_request.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "server/graphite/attime.h"
#include "server/graphite/find_query.h"
#include "server/graphite/target_parser.h"
#include "server/graphite/time_zone.h"

namespace statmill::graphite {
namespace {

Error bad(std::string_view parameter, std::string_view what) {
  return {ErrorCode::kInvalid, "parameter " + std::string(parameter) + ": " + std::string(what)};
}

Result<RenderRequest::Format> parse_format(const Url& url) {
  using Format = RenderRequest::Format;
  const std::string_view text = url.find("format").value_or("json");
  if (text == "json") return Format::kJson;
  if (text == "csv") return Format::kCsv;
  if (text == "raw") return Format::kRaw;
  if (text == "dygraph") return Format::kDygraph;
  return bad("format", "it is json, csv, raw or dygraph");
}

// The value of a parameter that says something.
std::optional<std::string_view> given(const Url& url, std::string_view name) {
  const auto text = url.find(name);
  return text && !text->empty() && *text != "undefined" ? text : std::nullopt;
}

Status parse_times(const Url& url, EvaluationOptions& options) {
  if (const auto name = given(url, "tz")) {
    auto zone = time_zone(*name);
    if (!zone) return bad("tz", zone.error().message);
    options.zone = *std::move(zone);
  }
  const auto time_of = [&](std::string_view name, std::string_view otherwise) {
    return parse_attime(given(url, name).value_or(otherwise), options.now_s, options.zone);
  };
  const auto now = time_of("now", "now");
  if (!now) return bad("now", now.error().message);
  options.now_s = *now;
  const auto from = time_of("from", "-1d");
  if (!from) return bad("from", from.error().message);
  const auto until = time_of("until", "now");
  if (!until) return bad("until", until.error().message);
  if (*from == *until) return bad("until", "it is the same time as from");
  options.range = {std::min(*from, *until), std::max(*from, *until)};
  return Status::ok();
}

Status parse_numbers(const Url& url, EvaluationOptions& options) {
  if (const auto text = given(url, "maxDataPoints")) {
    // Grafana sends fractions at some sizes of a window.
    const auto points = parse_integer(text->substr(0, text->find('.')), 1, INT32_MAX);
    if (!points) return bad("maxDataPoints", points.error().message);
    options.points = static_cast<size_t>(*points);
  }
  if (const auto text = given(url, "xFilesFactor")) {
    double factor = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), factor);
    if (error != std::errc{} || end != text->data() + text->size() || !(factor >= 0 && factor <= 1))
      return bad("xFilesFactor", "it is from 0 to 1");
    if (factor > 0) options.x_files_factor = factor;
  }
  return Status::ok();
}

Status parse_targets(const Url& url, RenderRequest& request) {
  std::vector<TemplateValue> values;
  for (const Parameter& parameter : url.parameters) {
    constexpr std::string_view kBegin = "template[";
    const std::string& name = parameter.name;
    if (name.starts_with(kBegin) && name.ends_with(']'))
      values.emplace_back(name.substr(kBegin.size(), name.size() - kBegin.size() - 1), parameter.value);
  }
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name != "target" || parameter.value.find_first_not_of(' ') == std::string::npos) continue;
    if (request.targets.size() == kRenderTargetsMax)
      return Error{ErrorCode::kLimit,
                   "parameter target: more than " + std::to_string(kRenderTargetsMax) + " of them"};
    auto tree = parse_target(parameter.value, values);
    if (!tree) return bad("target", tree.error().message);
    request.targets.push_back(*std::move(tree));
  }
  return Status::ok();
}

}  // namespace

Result<RenderRequest> parse_render_request(const Url& url, Timestamp now) {
  if (Status s = check_no_jsonp(url); !s) return s.error();
  RenderRequest request;
  const auto format = parse_format(url);
  if (!format) return format.error();
  request.format = *format;
  request.options.now_s = unix_seconds(now);
  if (Status s = parse_times(url, request.options); !s) return s.error();
  if (Status s = parse_numbers(url, request.options); !s) return s.error();
  if (Status s = parse_targets(url, request); !s) return s.error();
  const auto nulls = url.find("noNullPoints");
  request.without_nulls = nulls && *nulls != "false" && *nulls != "0";
  return request;
}

}  // namespace statmill::graphite

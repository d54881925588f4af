#include "server/http/query_parameters.h"

#include <algorithm>

#include "base/text.h"
#include "base/time_text.h"
#include "proto/canonical_name.h"
#include "proto/kind_text.h"

namespace statmill {
namespace {

constexpr int64_t kStepMax_s = 366 * 86'400;
constexpr int64_t kPointsMax = 1'000'000;

// A duration ("5m") or plain seconds ("300").
Result<int64_t> parse_step(std::string_view text) {
  const bool plain = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (plain) return parse_integer(text, 1, kStepMax_s);
  const Result<Duration> step = parse_duration(text);
  if (!step) return step.error();
  const int64_t ms = step->count();
  if (ms % 1000 != 0 || ms == 0 || ms / 1000 > kStepMax_s) {
    return Error{ErrorCode::kInvalid,
                 "duration \"" + std::string(text) + "\": must be whole seconds from 1s to 366d"};
  }
  return ms / 1000;
}

Error given_twice(std::string_view stat) {
  return {ErrorCode::kInvalid, "stat \"" + std::string(stat) + "\" is given more than once"};
}

// Parses stats and percentiles into `out`, and sets what the query needs from the store.
Status parse_stats(std::string_view text, QueryParameters& out) {
  std::vector<Percentile>& percentiles = out.request.percentiles;
  for (const std::string_view word : split(text, ',')) {
    if (const std::optional<Stat> stat = parse_stat(word)) {
      if (std::find(out.stats.begin(), out.stats.end(), *stat) != out.stats.end()) return given_twice(word);
      out.stats.push_back(*stat);
      continue;
    }
    std::optional<Percentile> percentile = Percentile::parse(word);
    if (!percentile) {
      return Error{ErrorCode::kInvalid, "no such stat \"" + std::string(word) +
                                            "\" (known: count, sum, avg, stddev, min, max, rate; for "
                                            "distributions p0 to p100, such as p99.9)"};
    }
    const auto is_same = [&](const Percentile& other) { return other.q == percentile->q; };
    if (std::any_of(percentiles.begin(), percentiles.end(), is_same)) return given_twice(word);
    percentiles.push_back(*std::move(percentile));
  }
  if (out.stats.empty() && percentiles.empty()) return Error{ErrorCode::kInvalid, "no stat given"};
  if (percentiles.size() > Percentile::kCountMax) {
    return Error{ErrorCode::kInvalid,
                 "more than " + std::to_string(Percentile::kCountMax) + " percentiles requested"};
  }
  Parts& parts = out.request.parts;
  parts = {.extremes = !percentiles.empty(), .histograms = !percentiles.empty()};
  for (const Stat stat : out.stats) {
    parts.extremes |= parts_of(stat).extremes;
    parts.squares |= parts_of(stat).squares;
  }
  return Status::ok();
}

Error parameter_error(std::string_view name, Error error) {
  return std::move(error).with("parameter " + std::string(name));
}

// A duration ("2s", "1500ms") or plain seconds ("2").
Result<Duration> parse_timeout(std::string_view text) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return parse_duration(text);
  const Result<int64_t> seconds = parse_integer(text, 0, 366 * 86'400);
  if (!seconds) return seconds.error();
  return Duration(std::chrono::seconds(*seconds));
}

// Parses the series.
Status parse_series(const Url& url, QueryParameters& out) {
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name != "series") continue;
    if (parameter.value.empty()) return Error{ErrorCode::kInvalid, "parameter series: empty"};
    out.request.series.push_back(parameter.value);
  }
  if (out.request.series.empty()) return Error{ErrorCode::kInvalid, "parameter series: missing"};
  return Status::ok();
}

// Parses everything except the series and the stats.
Result<QueryParameters> parse_range_and_format(const Url& url, Timestamp now) {
  QueryParameters out;
  const Result<int64_t> from = parse_time(url.find("from").value_or("-1h"), now);
  if (!from) return parameter_error("from", from.error());
  // The range is half-open; with "now" it includes the current second.
  const Result<int64_t> until = parse_time(url.find("until").value_or("now"), now + std::chrono::seconds(1));
  if (!until) return parameter_error("until", until.error());
  if (*from >= *until) return Error{ErrorCode::kInvalid, "parameter from: not before until"};
  out.request.from_s = *from;
  out.request.until_s = *until;

  if (const auto text = url.find("step")) {
    const Result<int64_t> step = parse_step(*text);
    if (!step) return parameter_error("step", step.error());
    out.request.step_s = *step;
  }
  if (const auto text = url.find("max_points")) {
    const Result<int64_t> points = parse_integer(*text, 1, kPointsMax);
    if (!points) return parameter_error("max_points", points.error());
    out.request.max_points = *points;
  }
  if (const auto text = url.find("align")) {
    if (*text != "true" && *text != "false")
      return Error{ErrorCode::kInvalid, "parameter align: neither true nor false"};
    out.request.align = *text == "true";
  }
  if (const auto text = url.find("about")) {
    if (*text != "true" && *text != "false")
      return Error{ErrorCode::kInvalid, "parameter about: neither true nor false"};
    out.request.wants_about = *text == "true";
  }
  if (const auto text = url.find("timeout")) {
    const Result<Duration> timeout = parse_timeout(*text);
    if (!timeout) return parameter_error("timeout", timeout.error());
    out.timeout = *timeout;
  }
  const std::string_view missing = url.find("missing").value_or("error");
  if (missing != "error" && missing != "list")
    return Error{ErrorCode::kInvalid, "parameter missing: neither error nor list"};
  out.request.lists_missing = missing == "list";
  const std::string_view format = url.find("format").value_or("json");
  if (format != "json" && format != "csv" && format != "jsonl")
    return Error{ErrorCode::kInvalid,
                 "parameter format: must be json, csv or jsonl, not \"" + std::string(format) + "\""};
  out.is_csv = format == "csv";
  out.is_buckets = format == "jsonl";
  return out;
}

// Parses everything except the stats.
Result<QueryParameters> parse_series_and_range(const Url& url, Timestamp now) {
  Result<QueryParameters> out = parse_range_and_format(url, now);
  if (!out) return out;
  const Status series = parse_series(url, *out);
  return series ? std::move(out) : series.error();
}

}  // namespace

Result<QueryParameters> parse_query_parameters(const Url& url, Timestamp now) {
  Result<QueryParameters> out = parse_series_and_range(url, now);
  if (!out) return out;
  if (out->is_buckets) {
    if (url.find("stats"))
      return Error{ErrorCode::kInvalid, "parameter stats: not with format=jsonl, which has whole buckets"};
    out->request.parts = {.extremes = true, .squares = true, .histograms = true};
    out->request.keeps_histograms = true;
    return out;
  }
  const Status stats = parse_stats(url.find("stats").value_or("avg"), *out);
  return stats ? std::move(out) : parameter_error("stats", stats.error());
}

Result<ExpressionParameters> parse_expression_parameters(const Url& url, Timestamp now) {
  if (url.find("series"))
    return Error{ErrorCode::kInvalid, "parameter expr: not together with series, which it replaces"};
  Result<QueryParameters> query = parse_range_and_format(url, now);
  if (!query) return query.error();
  if (query->is_buckets)
    return Error{ErrorCode::kInvalid, "parameter format: jsonl is of series, not of an expression"};
  ExpressionParameters out{std::string(url.find("expr").value_or("")), *std::move(query)};
  if (const auto stats = url.find("stats")) {
    if (const Status s = parse_stats(*stats, out.query); !s) return parameter_error("stats", s.error());
  }
  return out;
}

Result<HeatmapParameters> parse_heatmap_parameters(const Url& url, Timestamp now) {
  Result<QueryParameters> query = parse_series_and_range(url, now);
  if (!query) return query.error();
  HeatmapParameters out{*std::move(query)};
  const Status stats = parse_stats(url.find("stats").value_or("count"), out.query);
  if (!stats) return parameter_error("stats", stats.error());
  if (const auto text = url.find("grouping")) {
    const Result<int64_t> power = parse_integer(*text, 0, kHistogramGroupingPower);
    if (!power) return parameter_error("grouping", power.error());
    out.grouping_power = static_cast<int>(*power);
  }
  out.query.request.parts.histograms = true;
  out.query.request.merges = true;
  return out;
}

Result<size_t> parse_list_limit(const Url& url, int64_t usual) {
  const auto text = url.find("limit");
  const Result<int64_t> limit = text ? parse_integer(*text, 1, kSeriesListLimitMax) : usual;
  if (!limit) return parameter_error("limit", limit.error());
  return static_cast<size_t>(*limit);
}

Result<SeriesParameters> parse_series_parameters(const Url& url) {
  const std::string_view text = url.find("match").value_or("*");
  const auto name = spelled_name(text);
  const bool is_name = name && !Glob::is_pattern(text);
  Result<Glob> match = Glob::parse(is_name ? *name : with_blanks_escaped(text));
  if (!match) return parameter_error("match", match.error());
  const Result<size_t> limit = parse_list_limit(url, kSeriesListLimit);
  if (!limit) return limit.error();
  return SeriesParameters{*std::move(match), *limit};
}

Result<Queries::TreeRequest> parse_tree_parameters(const Url& url) {
  Queries::TreeRequest out;
  out.prefix = url.find("prefix").value_or("");
  if (!out.prefix.empty() && !out.prefix.ends_with('.') && !out.prefix.ends_with(';'))
    return parameter_error("prefix",
                           Error{ErrorCode::kInvalid, "it ends neither with a dot nor with a semicolon"});
  if (const auto after = url.find("after")) out.after = *after;
  const Result<size_t> limit = parse_list_limit(url, kTreeLimit);
  if (!limit) return limit.error();
  out.limit = *limit;
  return out;
}

Result<Queries::SearchRequest> parse_search_parameters(const Url& url) {
  const std::string_view text = url.find("q").value_or("");
  if (text.size() > kSearchTextBytesMax)
    return parameter_error(
        "q", Error{ErrorCode::kInvalid, "longer than " + std::to_string(kSearchTextBytesMax) + " bytes"});
  Queries::SearchRequest out{.words = SearchWords(text),
                             .under = std::string(url.find("under").value_or(""))};
  if (out.words.is_empty()) return parameter_error("q", Error{ErrorCode::kInvalid, "no words"});
  if (const auto kind = url.find("kind")) {
    const auto is_kind = [&](Kind of) { return kind_text(of) == *kind; };
    const auto* const at = std::ranges::find_if(kKinds, is_kind);
    if (at == std::end(kKinds))
      return parameter_error("kind",
                             Error{ErrorCode::kInvalid, "neither gauge, event, distribution nor counter"});
    out.kind = *at;
  }
  const auto text_of_limit = url.find("limit");
  const Result<int64_t> limit =
      text_of_limit ? parse_integer(*text_of_limit, 1, kSearchLimitMax) : kSearchLimit;
  if (!limit) return parameter_error("limit", limit.error());
  out.limit = static_cast<size_t>(*limit);
  return out;
}

Result<Reports::AgentFilter> parse_agent_filter(const Url& url, Timestamp now) {
  Reports::AgentFilter out;
  if (const auto text = url.find("host")) {
    Result<Glob> host = Glob::parse(*text);
    if (!host) return parameter_error("host", host.error());
    out.host = *std::move(host);
  }
  if (const auto text = url.find("since")) {
    const Result<int64_t> since = parse_time(*text, now);
    if (!since) return parameter_error("since", since.error());
    out.since = from_unix_seconds(*since);
  }
  return out;
}

Result<std::string> parse_series_name(const Url& url) {
  const auto text = url.find("name");
  if (!text || text->empty()) return Error{ErrorCode::kInvalid, "parameter name: missing"};
  Result<std::string> name = spelled_name(*text);
  return name ? std::move(name) : parameter_error("name", name.error());
}

Result<size_t> parse_cardinality_parts(const Url& url) {
  const Result<int64_t> parts = parse_integer(url.find("parts").value_or("1"), 1, kCardinalityPartsMax);
  if (!parts) return parameter_error("parts", parts.error());
  return static_cast<size_t>(*parts);
}

}  // namespace statmill

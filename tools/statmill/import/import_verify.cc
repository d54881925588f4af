#include "tools/statmill/import/import_verify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "base/text.h"
#include "proto/number.h"
#include "proto/wide_decimal.h"
#include "tools/statmill/answer.h"

namespace statmill {
namespace {

const std::vector<std::string>& compared_stats() {
  static const std::vector<std::string> stats = {"count", "sum", "min", "max", "stddev"};
  return stats;
}

constexpr size_t kSeriesPerQuery = 64;  // so that a request is below the server's 256 KiB
constexpr double kTolerance = 1e-9;
constexpr size_t kExactDigits = 15;

// What one series has in one week.
struct Expected {
  std::string_view name;
  Kind kind;
  const ImportTotals::Window* window;
};
using Weeks = std::map<int64_t, std::vector<Expected>>;

bool is_close(double a, double b) {
  return a == b || std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

// Returns whether the text is the decimal, or the double that is nearest to it.
bool is_decimal(std::string_view text, int64_t integer, int scale) {
  std::string want;
  append_wide_decimal(want, integer, scale);
  if (text == want) return true;
  const auto wide = parse_wide_decimal(text);
  if (wide && parse_wide_decimal(want) == wide) return true;
  Number a;
  Number b;
  return parse_number(text, a).is_accepted() && parse_number(want, b).is_accepted() && a.value() == b.value();
}

bool is_real(std::string_view text, double value) {
  Number number;
  return parse_number(text, number).is_accepted() && is_close(number.value(), value);
}

std::string shown(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

// The body of a request with one query: of one point for each series.
std::string request_body(int64_t from_s, std::span<const Expected> series) {
  std::string body = R"({"queries":[{"id":"q","max_points":1,"from":)" + std::to_string(from_s) +
                     R"(,"until":)" + std::to_string(from_s + ImportTotals::kWindow_s) +
                     R"(,"stats":["count","sum","min","max","stddev"],"series":[)";
  for (const Expected& one : series) {
    if (body.back() != '[') body += ",";
    append_json_string(body, one.name);
  }
  return body + "]}]}";
}

// Adds how many lines of the window the server may have refused.
void add_explanation(const Expected& one, const std::vector<std::string>& stats, bool differs,
                     ImportComparison& out) {
  const auto& [bucket, lines] = *one.window;
  if (adds_up(one.kind)) {
    Number sum;
    const bool has_sum = parse_number(stats[1], sum).is_accepted();
    const bool may_fall = bucket.min() < 0;
    if (differs && has_sum && sum.value() > bucket.sum() && !may_fall) out.has_more = true;
    // Nobody misses a line that adds 0.
    if (differs || bucket.min() <= 0) out.refused_most += lines;
    if (differs) ++out.refused_least;
    return;
  }
  if (!differs) return;
  const auto count = parse_integer(stats[0].empty() ? "0" : stats[0], 0, std::numeric_limits<int64_t>::max());
  const uint64_t has = count ? static_cast<uint64_t>(*count) : 0;
  if (!count || has >= bucket.count()) {
    out.has_more = true;
    return;
  }
  const uint64_t missing = bucket.count() - has;
  out.refused_least += lines == bucket.count() ? missing : 1;
  out.refused_most += std::min(missing, lines);
}

void compare(int64_t from_s, std::span<const Expected> expected, const QueryTexts& answer,
             ImportComparison& out) {
  std::map<std::string_view, const SeriesTexts*> found;
  for (const SeriesTexts& series : answer.series) found.emplace(series.name, &series);
  for (const Expected& one : expected) {
    ++out.windows;
    std::vector<std::string> stats(compared_stats().size());
    if (const auto at = found.find(one.name); at != found.end()) {
      for (size_t i = 0; i < stats.size(); ++i) {
        const auto& column = at->second->columns[i].second;
        if (!column.empty() && column.front()) stats[i] = *column.front();
      }
    }
    std::string what = difference_text(one.kind, one.window->bucket, stats);
    add_explanation(one, stats, !what.empty(), out);
    if (what.empty()) continue;
    ++out.differing;
    if (out.first.size() < ImportComparison::kDifferencesKept)
      out.first.push_back({std::string(one.name), from_s, std::move(what)});
  }
}

// Asks for the series of one week. A query that is too much for the server is asked in halves.
Status compare_some(const Client& client, int64_t from_s, std::span<const Expected> expected,
                    ImportComparison& out) {
  const auto answer = client.post_with("/api/v1/query", request_body(from_s, expected),
                                       {{"Content-Type", "application/json"}});
  if (!answer) return answer.error();
  if (answer->status != 200) return Error{ErrorCode::kInvalid, error_text(*answer)};
  const std::string_view line = std::string_view(answer->body).substr(0, answer->body.find('\n'));
  const bool is_too_much =
      line.starts_with(R"({"id":"q","status":503)") || line.starts_with(R"({"id":"q","status":422)");
  if (is_too_much && expected.size() > 1) {
    const size_t half = expected.size() / 2;
    if (Status first = compare_some(client, from_s, expected.first(half), out); !first) return first;
    return compare_some(client, from_s, expected.subspan(half), out);
  }
  const auto texts = parse_query_texts(line, compared_stats());
  if (!texts) return Error{ErrorCode::kInvalid, std::string(line.substr(0, 200))};
  compare(from_s, expected, *texts, out);
  return Status::ok();
}

}  // namespace

std::string difference_text(Kind kind, const Bucket& read, const std::vector<std::string>& stats) {
  const auto differs = [](std::string_view what, const std::string& has, const std::string& want) {
    return std::string(what) + " is " + (has.empty() ? "none" : has) + ", not " + want;
  };
  const bool is_total = adds_up(kind);
  if (stats[0].empty() && is_total && read.sum() == 0) return {};
  if (!is_total && stats[0] != std::to_string(read.count()))
    return differs("count", stats[0], std::to_string(read.count()));
  struct Part {
    std::string_view name;
    const std::string& text;
    double value;
    int64_t integer;
  };
  const Bucket::Decimal d = read.is_decimal() ? read.decimal() : Bucket::Decimal();
  const std::array<Part, 3> parts = {{{"sum", stats[1], read.sum(), d.sum},
                                      {"min", stats[2], read.min(), d.min},
                                      {"max", stats[3], read.max(), d.max}}};
  for (const Part& part : parts) {
    // A server may keep numbers with very many digits in doubles.
    const bool is_exact = read.is_decimal() && part.text.size() <= kExactDigits;
    const bool is_same =
        is_exact ? is_decimal(part.text, part.integer, d.scale) : is_real(part.text, part.value);
    if (!is_same) return differs(part.name, part.text, shown(part.value));
    if (is_total) return {};
  }
  if (!is_real(stats[4], read.stddev())) return differs("stddev", stats[4], shown(read.stddev()));
  return {};
}

ImportComparison compare_import(const Client& client, const ImportTotals& totals) {
  ImportComparison out{.series = totals.series().size()};
  Weeks weeks;
  for (const auto& [name, series] : totals.series()) {
    for (const auto& [from_s, window] : series.windows) weeks[from_s].push_back({name, series.kind, &window});
  }
  for (const auto& [from_s, all] : weeks) {
    for (size_t at = 0; at < all.size(); at += kSeriesPerQuery) {
      const auto some = std::span(all).subspan(at, std::min(kSeriesPerQuery, all.size() - at));
      if (Status compared = compare_some(client, from_s, some, out); !compared) {
        out.fault = compared.error();
        return out;
      }
    }
  }
  return out;
}

}  // namespace statmill

#include "tools/statmill/export/export_run.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "tools/statmill/answer.h"

namespace statmill {
namespace {

// How long the range of a request is, but for grain_of(). A request above a limit of the server is asked in
// pieces of the next one.
constexpr std::array<int64_t, 4> kWindows_s = {28 * 86'400, 4 * 86'400, 6 * 3'600, 3'600};
constexpr int64_t kRequestSlotsMax = 500'000;     // of all series of a request
constexpr int64_t kDistributionWeight = 24;       // a slot with a histogram counts as so many
constexpr size_t kRequestNamesBytesMax = 12'000;  // so that the target of a request is below 16 KiB

std::string_view metric_path(std::string_view name) { return name.substr(0, name.find(';')); }

Error refused_by_server(const HttpAnswer& answer) { return {ErrorCode::kInvalid, error_text(answer)}; }

// Reads the last line of an answer, which says how many lines came before it.
Status read_end(std::string_view line, uint64_t lines, ExportAccount& account) {
  const auto said = parse_count(line, "series");
  if (!said || *said != lines) return Error{ErrorCode::kCorrupt, "the server's answer is cut"};
  if (const auto damaged = parse_count(line, "damaged")) account.damaged += *damaged;
  if (const auto joined = parse_count(line, "joined")) account.joined += *joined;
  return Status::ok();
}

// Requests begin and end at multiples of this, but at the ends of the whole range, so that no slot is in two
// of them: the server rounds the step up to whole slots of the tier that it reads. Returns nullopt if that is
// too long. Requires: checked steps.
std::optional<int64_t> checked_grain(const Tiers& tiers, int64_t step_s) {
  const int64_t grain_max_s = std::max(kGrainMax_s, step_s + tiers.coarsest().step_s);
  int64_t grain_s = 1;
  const auto add = [&](int64_t slot_s) {
    const int64_t rounded_s = (step_s + slot_s - 1) / slot_s * slot_s;
    const int64_t factor = rounded_s / std::gcd(grain_s, rounded_s);
    grain_s = factor > grain_max_s / grain_s ? grain_max_s + 1 : grain_s * factor;
  };
  for (size_t t = 0; t < tiers.count() && grain_s <= grain_max_s; ++t) add(tiers[t].step_s);
  return grain_s <= grain_max_s ? std::optional(grain_s) : std::nullopt;
}

// Requires: checked_grain() has a value.
int64_t grain_of(const ExportedSeries& series, int64_t step_s) {
  return *checked_grain(series.tiers, step_s);
}

Status check_step(const ExportedSeries& series, int64_t step_s) {
  constexpr int64_t kStepMax_s = int64_t{100} * 366 * 86'400;
  if (step_s <= kStepMax_s && checked_grain(series.tiers, step_s)) return Status::ok();
  return Error{ErrorCode::kInvalid, "--step: slots of " + std::to_string(step_s) +
                                        " s do not fit the tiers of \"" + visible_text(series.name) + "\", " +
                                        series.tiers.text() + ": use a multiple of its longest step"};
}

// Series of one request, and their range.
struct ExportGroup {
  std::span<const ExportedSeries> series;
  int64_t from_s = 0;
  int64_t until_s = 0;
};

// The range of one series: none if from_s >= until_s. Its newest slot may be one of a coarse tier.
ExportGroup group_of(const ExportedSeries& series, const ExportRange& range) {
  return {{&series, 1},
          std::max(range.from_s, series.first_s),
          std::min(range.until_s, series.last_s + kWindows_s.back())};
}

// How many of kRequestSlotsMax a slot of the series is.
int64_t weight_of(const ExportedSeries& series) { return series.is_distribution ? kDistributionWeight : 1; }

// Returns where the next finer tier begins to have the series, after `from_s`. A request that began before
// would get the slots of the coarser one. Requests that come later are up to an hour later.
int64_t finer_from(const ExportedSeries& series, int64_t from_s, const ExportRange& range) {
  const int64_t grain_s = grain_of(series, range.step_s);
  int64_t out = std::numeric_limits<int64_t>::max();
  for (size_t t = 0; t < series.tiers.count(); ++t) {
    const int64_t kept_from_s = range.now_s - series.tiers[t].retention_s + 3600;
    const int64_t begin_s = (kept_from_s / grain_s + 1) * grain_s;
    if (begin_s > from_s) out = std::min(out, begin_s);
  }
  return out;
}

size_t encoded_bytes(const ExportedSeries& series) {
  return url_target({}, {{"series", series.name}}).size();
}

// Returns the first of the series that one request can have.
ExportGroup first_group(std::span<const ExportedSeries> series, const ExportRange& range) {
  ExportGroup out = group_of(series.front(), range);
  int64_t weight = weight_of(series.front());
  size_t bytes = encoded_bytes(series.front());
  for (size_t n = 1; n < series.size(); ++n) {
    const ExportGroup next = group_of(series[n], range);
    const int64_t from_s = std::min(out.from_s, next.from_s);
    const int64_t until_s = std::max(out.until_s, next.until_s);
    weight += weight_of(series[n]);
    bytes += encoded_bytes(series[n]);
    const int64_t slots = (until_s - from_s) / range.step_s + 1;
    if (slots > kRequestSlotsMax / weight || bytes > kRequestNamesBytesMax) break;
    const bool has_one_step = std::ranges::all_of(series.first(n + 1), [&](const ExportedSeries& one) {
      return finer_from(one, from_s, range) >= until_s;
    });
    if (!has_one_step) break;
    out = {series.first(n + 1), from_s, until_s};
  }
  return out;
}

// Returns the line's text up to the name's end, as the server writes it.
std::string line_begin(const ExportedSeries& series) {
  std::string out = R"({"name":)";
  append_json_string(out, series.name);
  return out + ",";
}

// The lines of an answer, whose last line says how many there are.
Result<std::vector<std::string_view>> lines_of(std::string_view body, ExportAccount& account) {
  std::vector<std::string_view> lines = split(body, '\n');
  if (lines.size() < 2 || !lines.back().empty())
    return Error{ErrorCode::kCorrupt, "the server's answer is cut"};
  lines.pop_back();
  const std::string_view end = lines.back();
  lines.pop_back();
  if (Status read = read_end(end, lines.size(), account); !read) return read.error();
  return lines;
}

// Passes on the lines of the series, in their order. A name with the bytes of a glob matches others, too.
Status pass_on(std::string_view body, std::span<const ExportedSeries> series, const PassLine& pass,
               ExportAccount& account) {
  const auto lines = lines_of(body, account);
  if (!lines) return lines.error();
  std::map<std::string_view, std::string_view> by_name;  // {"name":"...", -> line
  for (const std::string_view line : *lines) by_name.emplace(line.substr(0, line.find(R"("kind":)")), line);
  for (const ExportedSeries& one : series) {
    const auto at = by_name.find(line_begin(one));
    if (at == by_name.end()) continue;
    ++account.lines;
    if (Status passed = pass(at->second); !passed) return passed;
  }
  return Status::ok();
}

bool is_limit(const HttpAnswer& answer) { return answer.status == 422; }

Result<HttpAnswer> ask(const Client& client, const ExportGroup& group, int64_t step_s) {
  UrlParameters parameters = {{"from", std::to_string(group.from_s)},
                              {"until", std::to_string(group.until_s)},
                              {"step", std::to_string(step_s)},
                              {"missing", "list"},
                              {"format", "jsonl"}};
  for (const ExportedSeries& one : group.series) parameters.emplace_back("series", one.name);
  return client.get("/api/v1/query", parameters);
}

// Exports one series, piece by piece.
Status export_one(const Client& client, const ExportedSeries& series, const ExportRange& range,
                  const PassLine& line, ExportAccount& account) {
  ExportGroup all = group_of(series, range);
  const int64_t grain_s = grain_of(series, range.step_s);
  size_t window = all.series.front().is_distribution ? 2 : 0;
  while (all.from_s < all.until_s) {
    const int64_t window_s = (kWindows_s[window] + grain_s - 1) / grain_s * grain_s;
    const int64_t end_s = std::min(
        {all.until_s, all.from_s - all.from_s % window_s + window_s, finer_from(series, all.from_s, range)});
    const auto answer = ask(client, {all.series, all.from_s, end_s}, range.step_s);
    if (!answer) return answer.error();
    if (is_limit(*answer) && window + 1 < kWindows_s.size()) {
      ++window;
      continue;
    }
    if (answer->status != 200) return refused_by_server(*answer);
    if (Status read = pass_on(answer->body, all.series, line, account); !read) return read;
    all.from_s = end_s;
  }
  return Status::ok();
}

}  // namespace

Result<std::vector<ExportedSeries>> list_exported(const Client& client, const std::string& pattern) {
  const auto answer =
      client.get("/api/v1/series", {{"match", pattern}, {"limit", std::to_string(kExportSeriesMax)}});
  if (!answer) return answer.error();
  if (answer->status != 200) return refused_by_server(*answer);
  auto listing = parse_series_listing(answer->body);
  if (!listing) return listing.error();
  if (listing->truncated)
    return Error{ErrorCode::kLimit,
                 "more than 100,000 series match \"" + pattern + "\": export them in parts"};
  std::vector<ExportedSeries> out;
  out.reserve(listing->series.size());
  for (ListedSeries& series : listing->series) {
    auto tiers = Tiers::parse(series.retention);
    if (!tiers) return tiers.error().with("the retention of \"" + visible_text(series.name) + "\"");
    out.push_back({std::move(series.name), series.kind == "distribution", series.first_s, series.last_s,
                   *std::move(tiers)});
  }
  std::ranges::stable_sort(
      out, [](const auto& a, const auto& b) { return metric_path(a.name) < metric_path(b.name); });
  return out;
}

Status export_series(const Client& client, std::span<const ExportedSeries> series, const ExportRange& range,
                     const PassLine& line, ExportAccount& account, LongJob& job) {
  for (const ExportedSeries& one : series) {
    if (Status s = check_step(one, range.step_s); !s) return s;
  }
  while (!series.empty()) {
    const ExportGroup group = first_group(series, range);
    const size_t count = group.series.size();
    bool is_done = count > 1 && group.from_s >= group.until_s;
    if (count > 1 && !is_done) {
      const auto answer = ask(client, group, range.step_s);
      if (!answer) return answer.error();
      if (answer->status != 200 && !is_limit(*answer)) return refused_by_server(*answer);
      is_done = answer->status == 200;
      if (is_done) {
        if (Status read = pass_on(answer->body, group.series, line, account); !read) return read;
      }
    }
    for (size_t i = 0; i < count && !is_done; ++i) {
      if (Status read = export_one(client, series[i], range, line, account); !read) return read;
    }
    account.series += count;
    job.add(count);
    series = series.subspan(count);
  }
  return Status::ok();
}

}  // namespace statmill

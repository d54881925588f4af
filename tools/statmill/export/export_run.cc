#include "tools/statmill/export/export_run.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "tools/statmill/answer.h"

namespace statmill {
namespace {

// Multiples of the steps of all tiers of an hour or less, so that no slot is cut.
constexpr int64_t kWindow_s = 4 * 86'400;
constexpr int64_t kDistributionWindow_s = 6 * 3'600;  // whose slots have hundreds of cells each
constexpr int64_t kWindowMin_s = 3'600;

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

Status read_answer(std::string_view body, const std::function<Status(std::string_view line)>& line,
                   ExportAccount& account) {
  uint64_t lines = 0;
  while (true) {
    const size_t end = body.find('\n');
    if (end == std::string_view::npos) return Error{ErrorCode::kCorrupt, "the server's answer is cut"};
    const std::string_view text = body.substr(0, end);
    body.remove_prefix(end + 1);
    if (body.empty()) return read_end(text, lines, account);
    ++lines;
    ++account.lines;
    if (Status passed_on = line(text); !passed_on) return passed_on;
  }
}

}  // namespace

Result<std::vector<ExportedSeries>> list_exported(const Client& client, const std::string& glob) {
  const auto answer =
      client.get("/api/v1/series", {{"match", glob}, {"limit", std::to_string(kExportSeriesMax)}});
  if (!answer) return answer.error();
  if (answer->status != 200) return refused_by_server(*answer);
  auto listing = parse_series_listing(answer->body);
  if (!listing) return listing.error();
  if (listing->truncated)
    return Error{ErrorCode::kLimit, "more than 100,000 series match \"" + glob + "\": export them in parts"};
  std::vector<ExportedSeries> out;
  out.reserve(listing->series.size());
  for (ListedSeries& series : listing->series)
    out.push_back({std::move(series.name), series.kind == "distribution", series.first_s, series.last_s});
  std::ranges::stable_sort(
      out, [](const auto& a, const auto& b) { return metric_path(a.name) < metric_path(b.name); });
  return out;
}

Status export_series(const Client& client, const ExportedSeries& series, const ExportRange& range,
                     const std::function<Status(std::string_view line)>& line, ExportAccount& account) {
  ++account.series;
  int64_t window_s = series.is_distribution ? kDistributionWindow_s : kWindow_s;
  int64_t from_s = std::max(range.from_s, series.first_s);
  // Its newest slot may be one of a coarse tier.
  const int64_t until_s = std::min(range.until_s, series.last_s + kWindowMin_s);
  while (from_s < until_s) {
    const int64_t end_s = std::min(until_s, from_s - from_s % window_s + window_s);
    const auto answer = client.get("/api/v1/query", {{"series", series.name},
                                                     {"from", std::to_string(from_s)},
                                                     {"until", std::to_string(end_s)},
                                                     {"step", std::to_string(range.step_s)},
                                                     {"missing", "list"},
                                                     {"format", "jsonl"}});
    if (!answer) return answer.error();
    if (answer->status == 422 && window_s > kWindowMin_s) {  // above a limit of a query
      window_s = kWindowMin_s;
      continue;
    }
    if (answer->status != 200) return refused_by_server(*answer);
    if (Status read = read_answer(answer->body, line, account); !read) return read;
    from_s = end_s;
  }
  return Status::ok();
}

}  // namespace statmill

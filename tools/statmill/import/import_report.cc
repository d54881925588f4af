#include "tools/statmill/import/import_report.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/time_text.h"
#include "base/visible.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

std::string grouped(uint64_t n) {
  std::string out = std::to_string(n);
  for (size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

std::string plural(uint64_t n, std::string_view noun) {
  return grouped(n) + " " + std::string(noun) + (n == 1 || noun == "series" ? "" : "s");
}

std::string seconds_text(Duration elapsed) {
  const int64_t tenths = elapsed.count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

void append_refused(std::string& out, const ImportReport& report) {
  for (const auto& [reason, refused] : report.account.refused)
    out += "refused " + grouped(refused.count) + ": " + reason + ", the first in " + visible(refused.first) +
           "\n";
  if (report.sent.lines_refused == 0) return;
  out += "the server refused " + grouped(report.sent.lines_refused);
  for (const auto& [reason, count] : report.by_reason) out += ", " + reason + " " + grouped(count);
  out += "\n";
}

void append_comparison(std::string& out, const ImportReport& report) {
  const ImportComparison& c = *report.comparison;
  out += "compared " + plural(c.series, "series") + " in " + plural(c.windows, "week") + ": ";
  if (c.differing == 0) {
    out += c.fault ? "nothing differs so far\n" : "the server has what was read\n";
  } else {
    out += grouped(c.differing) + " differ" + (report.is_explained() ? ", by what was refused" : "") + "\n";
  }
  for (const ImportDifference& d : c.first)
    out += "  " + visible(d.series) + " from " + iso_time(d.from_s) + ": " + visible(d.what) + "\n";
  if (report.left_out > 0)
    out += grouped(report.left_out) + " points were not compared: too many series and weeks\n";
}

}  // namespace

RefusalsByReason parse_agent_refusals(std::string_view metrics) {
  constexpr std::string_view kFamily = "statmill_samples_refused_total{listener=\"agent\",reason=\"";
  RefusalsByReason out;
  for (const std::string_view line : split(metrics, '\n')) {
    if (!line.starts_with(kFamily)) continue;
    const size_t end = line.find("\"} ");
    if (end == std::string_view::npos) continue;
    uint64_t count = 0;
    std::from_chars(line.data() + end + 3, line.data() + line.size(), count);
    out[std::string(line.substr(kFamily.size(), end - kFamily.size()))] = count;
  }
  return out;
}

RefusalsByReason refusals_of_agents(const Client& client) {
  const auto answer = client.get("/metrics");
  return answer && answer->status == 200 ? parse_agent_refusals(answer->body) : RefusalsByReason();
}

RefusalsByReason refused_since(const Client& client, const RefusalsByReason& before) {
  RefusalsByReason out;
  for (const auto& [reason, count] : refusals_of_agents(client)) {
    const auto earlier = before.find(reason);
    const uint64_t had = earlier == before.end() ? 0 : earlier->second;
    if (count > had) out[reason] = count - had;
  }
  return out;
}

bool ImportReport::is_explained() const {
  const ImportComparison& c = *comparison;
  return !c.has_more && sent.lines_refused > 0 && c.refused_least <= sent.lines_refused &&
         sent.lines_refused <= c.refused_most + left_out;
}

ExitCode ImportReport::code() const {
  if (comparison && comparison->fault) return outcome_of(*comparison->fault).code;
  if (comparison && comparison->differing > 0 && !is_explained()) return ExitCode::kFailed;
  if (sent.lines_refused > 0 || !account.refused.empty()) return ExitCode::kRefused;
  return ExitCode::kOk;
}

std::string import_report_text(const ImportReport& report) {
  const uint64_t points = report.account.samples;
  std::string out = report.is_dry ? "read " : "imported ";
  out += plural(points, "point");
  if (report.is_dry) out += " of " + plural(report.series, "series");
  out += " from " + plural(report.account.files, "file") + " in " + seconds_text(report.elapsed);
  const auto ms = static_cast<uint64_t>(std::max<int64_t>(report.elapsed.count(), 1));
  if (!report.sent.was_resumed) out += ", " + grouped(points * 1000 / ms) + " a second";
  out += "\n";
  append_refused(out, report);
  if (report.comparison) append_comparison(out, report);
  return out;
}

}  // namespace statmill

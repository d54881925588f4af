#include "tools/statmill/top/host_table.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "tools/statmill/terminal/text_cells.h"

namespace statmill {
namespace {

constexpr int kSparkColumns = 31;
constexpr int kNameColumnsMax = 32;
constexpr Style kFaint{.is_dim = true};

// Columns of a figure with the blanks before it: number, unit, mark.
int columns_of(const FigureRule& rule) {
  switch (rule.unit.kind) {
    case Unit::Kind::kPercent:
      return 8;
    case Unit::Kind::kBytes:
      return 12;
    case Unit::Kind::kSeconds:
      return rule.figure == Figure::kLag ? 8 : 10;
    case Unit::Kind::kNumber:
      break;
  }
  return 9;
}

// The figures in the order in which a narrow screen leaves them out.
constexpr std::array<Figure, kFigureCount> kLeftOut = {
    Figure::kMemoryKills, Figure::kNetworkErrors, Figure::kDiskErrors,   Figure::kMemoryPressure,
    Figure::kLag,         Figure::kCpuPressure,   Figure::kNetworkBytes, Figure::kDiskLatency,
    Figure::kCpuWait,     Figure::kDiskBusy,      Figure::kMemoryUsed,   Figure::kCpuBusy};

const char* mark_of(Level level) {
  if (level == Level::kCritical) return "✕";
  return level == Level::kWarning ? "△" : " ";
}

Style style_of(Level level) {
  if (level == Level::kCritical) return {.color = Color::kRed, .is_bold = true};
  if (level == Level::kWarning) return {.color = Color::kYellow};
  return {};
}

std::string figure_text(const FigureRule& rule, double value) {
  if (rule.unit.kind == Unit::Kind::kPercent) return fixed_text(value, 0) + " %";
  if (rule.aspect == Aspect::kErrors && value == 0) return "–";
  return unit_text(value, rule.unit);
}

std::string away_text(int64_t seconds) {
  std::string out = "away ";
  if (seconds >= 2 * 86400) return out + std::to_string(seconds / 86400) + " d";
  if (seconds >= 7200) return out + std::to_string(seconds / 3600) + " h";
  if (seconds >= 60) return out + std::to_string(seconds / 60) + " min";
  return out + std::to_string(std::max<int64_t>(seconds, 0)) + " s";
}

std::string_view short_name(std::string_view host) { return host.substr(0, host.find('.')); }

}  // namespace

std::string_view HostTable::shown_name(const HostRow& host) const {
  return is_short_ ? short_name(host.host) : std::string_view(host.host);
}

HostTable::HostTable(const std::vector<const HostRow*>& hosts, int columns) {
  std::set<std::string_view> short_names;
  for (const HostRow* host : hosts) short_names.insert(short_name(host->host));
  is_short_ = short_names.size() == hosts.size();
  size_t longest = 4;
  for (const HostRow* host : hosts) longest = std::max(longest, display_width(shown_name(*host)));
  name_columns_ = std::min(static_cast<int>(longest), kNameColumnsMax);
  std::array<bool, kFigureCount> shown{};
  shown.fill(true);
  int width = 2 + name_columns_;
  for (const FigureRule& rule : figure_rules()) width += columns_of(rule);
  for (const Figure figure : kLeftOut) {
    if (width <= columns) break;
    shown.at(static_cast<size_t>(figure)) = false;
    width -= columns_of(figure_rules().at(static_cast<size_t>(figure)));
  }
  int end = 2 + name_columns_;
  for (const FigureRule& rule : figure_rules()) {
    if (!shown.at(static_cast<size_t>(rule.figure))) continue;
    end += columns_of(rule);
    ends_.at(static_cast<size_t>(rule.figure)) = end;
  }
  if (end + 2 + kSparkColumns <= columns) spark_ = end + 2;
}

void HostTable::draw_header(Screen& screen, int row) const {
  screen.put(row, 2, "host", kFaint);
  for (const FigureRule& rule : figure_rules()) {
    const int end = ends_.at(static_cast<size_t>(rule.figure));
    if (end > 0) screen.put_right(row, end - 1, rule.title, kFaint);
  }
  if (spark_ > 0) screen.put(row, spark_, "cpu, last hour", kFaint);
}

void HostTable::draw_row(Screen& screen, int row, const HostRow& host, int64_t now_s) const {
  screen.put(row, 0, mark_of(host.level), style_of(host.level));
  screen.put(row, 2, shorten(shown_name(host), static_cast<size_t>(name_columns_)),
             {.is_bold = host.level != Level::kOk});
  if (spark_ > 0) screen.put(row, spark_, sparkline(host.cpu_busy, 0, 100), {.color = Color::kCyan});
  if (host.away_since_s) {
    screen.put(row, 2 + name_columns_ + 2,
               away_text(now_s - *host.away_since_s) + ": its agent is not connected",
               style_of(Level::kCritical));
    return;
  }
  for (const FigureRule& rule : figure_rules()) {
    const int end = ends_.at(static_cast<size_t>(rule.figure));
    if (end == 0) continue;
    const std::optional<Measure>& measure = host.figures.at(static_cast<size_t>(rule.figure));
    if (!measure) {
      screen.put_right(row, end - 1, "·", kFaint);
      continue;
    }
    const Style style = style_of(measure->level);
    screen.put_right(row, end - 1, figure_text(rule, measure->value), style);
    screen.put(row, end - 1, mark_of(measure->level), style);
  }
}

}  // namespace statmill

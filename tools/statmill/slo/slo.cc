#include "tools/statmill/slo/slo.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "base/text.h"
#include "proto/histogram_partition.h"
#include "proto/line_text.h"
#include "proto/unit_name.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, 7> kWindows = {"5m", "30m", "1h", "2h", "6h", "1d", "3d"};

// A burn rate of 1 uses the budget up just at the end of the window of the objective.
struct BurnAlert {
  std::string_view lasting;  // the window in which the share of the budget is used
  std::string_view recent;   // a shorter one, so that the alert ends soon after its cause
  double hours;              // of `lasting`
  double budget;             // the share
};
constexpr std::array<BurnAlert, 2> kPages = {{{"1h", "5m", 1, 0.02}, {"6h", "30m", 6, 0.05}}};
constexpr std::array<BurnAlert, 2> kTickets = {{{"1d", "2h", 24, 0.1}, {"3d", "6h", 72, 0.1}}};

// The shortest text, without the digits that 1 - 0.999 has too many.
std::string number_text(double value) {
  constexpr double kDigits = 1e12;
  std::string out;
  append_number(out, std::round(value * kDigits) / kDigits);
  return out;
}

std::string budget_of(const Slo& slo) { return number_text(1 - slo.target); }

std::string by_text(const Slo& slo) {
  std::string out;
  for (const std::string& label : slo.by) out += (out.empty() ? "by (" : ", ") + label;
  return out.empty() ? "" : out + ") ";
}

std::string sum_of(const Slo& slo, const std::string& selector, std::string_view window) {
  return "sum " + by_text(slo) + "(increase(" + selector + "[" + std::string(window) + "]))";
}

// x_bucket{a="b"} -> x_bucket{a="b",le="0.25"}.
std::string with_le(const std::string& selector, double below) {
  const std::string label = "le=\"" + number_text(below) + "\"";
  const size_t brace = selector.rfind('}');
  if (brace == std::string::npos) return selector + "{" + label + "}";
  const bool is_empty = selector[brace - 1] == '{';
  return selector.substr(0, brace) + (is_empty ? "" : ",") + label + "}";
}

// The name of the metric in a selector.
std::string_view metric_of(std::string_view selector) {
  constexpr std::string_view kName = "{__name__=\"";
  if (!selector.starts_with(kName)) return selector.substr(0, selector.find('{'));
  selector.remove_prefix(kName.size());
  return selector.substr(0, selector.find('"'));
}

// x_bucket{a="b"} -> x_count{a="b"}.
std::string count_of(const std::string& selector) {
  constexpr std::string_view kBucket = "_bucket";
  const std::string_view metric = metric_of(selector);
  const auto end = static_cast<size_t>(metric.data() + metric.size() - selector.data());
  return std::string(selector).replace(end - kBucket.size(), kBucket.size(), "_count");
}

// The share that was bad in a window.
std::string ratio(const Slo& slo, std::string_view window) {
  if (slo.latency.empty()) return sum_of(slo, slo.bad, window) + " / " + sum_of(slo, slo.total, window);
  if (is_classic_histogram(slo.latency))
    return "1 - " + sum_of(slo, with_le(slo.latency, slo.below), window) + " / " +
           sum_of(slo, count_of(slo.latency), window);
  return "1 - histogram_fraction(-Inf, " + number_text(slo.below) + ", " + sum_of(slo, slo.latency, window) +
         ")";
}

std::string ratio_series(const Slo& slo, std::string_view window) {
  return "slo:bad_ratio:" + std::string(window) + "{slo=\"" + slo.name + "\"}";
}

void append_record(std::string& out, const Slo& slo, std::string_view record, const std::string& expression) {
  out.append("      - record: ").append(record).append("\n        expr: |\n          ").append(expression);
  out.append("\n        labels: {slo: ").append(slo.name).append("}\n");
}

std::string condition(const Slo& slo, const BurnAlert& alert) {
  const double window_hours = std::chrono::duration<double, std::ratio<3600>>(slo.window).count();
  const std::string limit =
      " > " + number_text(alert.budget * window_hours / alert.hours) + " * " + budget_of(slo);
  return "(" + ratio_series(slo, alert.lasting) + limit + " and " + ratio_series(slo, alert.recent) + limit +
         ")";
}

void append_alert(std::string& out, const Slo& slo, std::string_view name, std::string_view severity,
                  std::span<const BurnAlert> alerts) {
  out.append("      - alert: ").append(name).append("\n        expr: |\n          ");
  for (const BurnAlert& alert : alerts)
    out.append(&alert == alerts.data() ? "" : "\n            or ").append(condition(slo, alert));
  out.append("\n        labels: {severity: ").append(severity).append("}\n");
  out += "        annotations:\n          summary: \"The objective {{ $labels.slo }} is missed: ";
  out += "{{ $value | humanizePercentage }} are bad, " + number_text((1 - slo.target) * 100) +
         "% are allowed\"\n";
}

std::string objective(const Slo& slo) {
  std::string out = number_text(slo.target * 100) + " % of ";
  out += slo.latency.empty() ? slo.total + " are not " + slo.bad
                             : slo.latency + " are below " + number_text(slo.below);
  return out + ", over " + format_duration(slo.window);
}

// A scale of one number per window, so that a panel can name them.
std::string burn_rates(const Slo& slo) {
  std::string out;
  for (const std::string_view window : {"5m", "1h", "6h", "3d"}) {
    out.append(out.empty() ? "" : " or ").append("label_replace(");
    out.append(ratio_series(slo, window)).append(" / ").append(budget_of(slo));
    out.append(", \"window\", \"").append(window).append("\", \"\", \"\")");
  }
  return out;
}

std::string panel(std::string_view place, std::string_view title, const std::string& expression) {
  std::string out = "    {\"at\": " + std::string(place) + ", \"title\": ";
  append_json_string(out, title);
  out += ", \"expr\": ";
  append_json_string(out, expression);
  return out + "}";
}

}  // namespace

bool is_slo_name(std::string_view name) {
  constexpr size_t kBytesMax = 50;
  return !name.empty() && name.size() <= kBytesMax && std::ranges::all_of(name, [](char c) {
    return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '-';
  });
}

bool is_label_name(std::string_view name) {
  constexpr auto is_letter = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || ('0' <= c && c <= '9'); });
}

Result<std::string> slo_selector(std::string_view text) {
  const Error fault{ErrorCode::kInvalid,
                    "\"" + std::string(text) + "\" is not a selector, such as requests{job=\"shop\"}"};
  const size_t brace = text.find('{');
  const std::string_view name = trimmed(text.substr(0, brace));
  const bool has_labels = brace != std::string_view::npos;
  if (text.empty() || (has_labels && !text.ends_with('}')) || text.find('\n') != std::string_view::npos)
    return fault;
  std::string_view labels;
  if (has_labels) labels = trimmed(text.substr(brace + 1, text.size() - brace - 2));
  if (labels.ends_with(',')) {
    labels = trimmed(labels.substr(0, labels.size() - 1));
    if (labels.empty() || labels.ends_with(',')) return fault;
  }
  if (name.empty() && labels.empty()) return fault;
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' || c == ':';
  });
  if (is_plain && !has_labels) return std::string(name);
  if (is_plain) return std::string(name) + "{" + std::string(labels) + "}";
  if (name.find_first_of("\"\\") != std::string_view::npos)
    return Error{ErrorCode::kInvalid, "the name of \"" + std::string(text) + "\" has a quote"};
  return "{__name__=\"" + std::string(name) + "\"" + (labels.empty() ? "" : ",") + std::string(labels) + "}";
}

bool is_classic_histogram(std::string_view selector) { return metric_of(selector).ends_with("_bucket"); }

Result<double> slo_threshold(std::string_view text, std::string_view selector) {
  const auto fault = [&](std::string_view why) {
    return Error{ErrorCode::kInvalid, "\"" + std::string(text) + "\" " + std::string(why)};
  };
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value))
    return fault("is not a threshold, such as 250ms or 0.25");
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit.empty()) return value;
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  const auto scale = [&](std::string_view name) {
    const auto* const at = std::ranges::find(kUnits, name, &std::pair<std::string_view, double>::first);
    return at == kUnits.end() ? 0 : at->second;
  };
  std::string metric(metric_of(selector));
  if (is_classic_histogram(selector)) metric.resize(metric.size() - std::string_view("_bucket").size());
  const double of_series = scale(unit_of_name(metric));
  if (scale(unit) == 0) return fault("has an unknown unit: ns, us, ms and s are known");
  if (of_series == 0)
    return fault("needs a series whose name ends in a unit of time; give a number in the unit of the series");
  return value * std::round(scale(unit) / 1e-9) / std::round(of_series / 1e-9);
}

double nearest_edge(double value) {
  const HistogramIndex index = histogram_index(value);
  const double lower = histogram_lower_edge(index);
  const double upper = histogram_upper_edge(index);
  return std::abs(value - lower) <= std::abs(upper - value) ? lower : upper;
}

std::string slo_rules(const Slo& slo) {
  const std::string window = format_duration(slo.window);
  std::string out = "# Written by `statmill slo`: " + objective(slo) + ".\ngroups:\n";
  out += "  - name: slo-" + slo.name + "\n    interval: 1m\n    rules:\n";
  for (const std::string_view one : kWindows)
    append_record(out, slo, "slo:bad_ratio:" + std::string(one), ratio(slo, one));
  append_alert(out, slo, "BudgetBurnsFast", "page", kPages);
  append_alert(out, slo, "BudgetBurns", "ticket", kTickets);
  out += "  - name: slo-" + slo.name + "-budget\n    interval: 10m\n    rules:\n";
  append_record(out, slo, "slo:bad_ratio:window", ratio(slo, window));
  append_record(out, slo, "slo:budget_left", "1 - " + ratio_series(slo, "window") + " / " + budget_of(slo));
  return out;
}

std::string slo_dashboard(const Slo& slo) {
  std::string out = "{\n  \"format\": 1,\n  \"title\": ";
  append_json_string(out, "objective " + slo.name);
  out += ",\n  \"folder\": \"objectives\",\n  \"notes\": ";
  append_json_string(
      out, objective(slo) + ". A burn rate of 1 uses the budget up in " + format_duration(slo.window) + ".");
  out += ",\n  \"time\": {\"from\": \"-7d\"},\n  \"panels\": [\n";
  out += panel("[0,0,12,6]", "budget left", "slo:budget_left{slo=\"" + slo.name + "\"}") + ",\n";
  out += panel("[0,6,6,6]", "burn rate", burn_rates(slo)) + ",\n";
  out += panel("[6,6,6,6]", "share of bad ones", ratio_series(slo, "5m")) + "\n";
  return out + "  ]\n}\n";
}

}  // namespace statmill

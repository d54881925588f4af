#include <algorithm>

#include "tests/query/naive/functions.h"

namespace statmill::naive {
namespace {

// Equal means of different numbers of samples may differ in their last bits.
bool is_less(Quad a, Quad b) { return rounded(a) < rounded(b); }

// The algorithm of Prometheus 2.42: what the samples went up by, extended to the edges of the range, unless
// the first or last sample is further from it than 1.1 of the usual distance.
Quad extrapolated(const Window& window, bool has_resets) {
  const WindowPoint& first = window.points.front();
  const WindowPoint& last = window.points.back();
  Quad increase = last.value - first.value;
  for (size_t i = 1; has_resets && i < window.points.size(); ++i) {
    if (is_less(window.points[i].value, window.points[i - 1].value)) increase += window.points[i - 1].value;
  }
  Quad to_start = seconds_of(first.middle - window.begin);
  const Quad to_end = seconds_of(window.end - last.middle);
  const Quad sampled = seconds_of(last.middle - first.middle);
  const Quad usual = sampled / static_cast<Quad>(window.points.size() - 1);
  if (has_resets && increase > 0 && first.value >= 0) {
    to_start = std::min(to_start, sampled * (first.value / increase));  // a counter is not below zero
  }
  const double threshold = rounded(usual) * 1.1;
  Quad extended = sampled;
  extended += rounded(to_start) < threshold ? to_start : usual / 2;
  extended += rounded(to_end) < threshold ? to_end : usual / 2;
  return increase * (extended / sampled);
}

// Between the newest two points.
std::optional<PointValue> newest_difference(const Window& window, bool is_rate) {
  if (window.points.size() < 2) return std::nullopt;
  const WindowPoint& last = window.points.back();
  const WindowPoint& before = window.points[window.points.size() - 2];
  const bool is_reset = is_rate && is_less(last.value, before.value);
  const Quad change = is_reset ? last.value : last.value - before.value;
  return is_rate ? change / static_cast<Quad>(seconds_of(last.middle - before.middle)) : change;
}

std::optional<PointValue> scaled_samples(const Window& window, Quad weight) {
  SampleList out;
  for (const WindowPoint& point : window.points) {
    for (const Quad value : point.slot->samples) out.push_back({value, weight});
  }
  return out;
}

}  // namespace

std::optional<PointValue> rate_of(std::string_view name, const Window& window) {
  if (name == "irate" || name == "idelta") return newest_difference(window, name == "irate");
  const bool is_rate = name == "rate";
  if (!is_rate && name != "increase" && name != "delta") return std::nullopt;
  const auto passed = static_cast<Quad>(window.seconds);
  if (is_rate && passed <= 0) return std::nullopt;
  if (name != "delta" && window.kind == SeriesKind::kDistribution) {
    return scaled_samples(window, is_rate ? 1 / passed : 1);
  }
  if (name != "delta" && window.is_counter()) {
    Quad total = 0;
    for (const WindowPoint& point : window.points) total += point.slot->sum;
    return is_rate ? total / passed : total;
  }
  if (window.points.size() < 2) return std::nullopt;
  const Quad change = extrapolated(window, name != "delta");
  return is_rate ? change / static_cast<Quad>(seconds_of(window.end - window.begin)) : change;
}

}  // namespace statmill::naive

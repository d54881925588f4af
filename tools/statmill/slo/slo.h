// Slo: a service level objective, such as "99.9 % of requests take less than 250 ms, over 30 days", and the
// rules that watch it: how many were bad in several windows, how much of the budget is left, and alerts when
// it is used up too fast.
//
// The windows and rates are those of the Site Reliability Workbook, chapter 5, "Multiwindow, Multi-Burn-Rate
// Alerts": a page at 2 % of the budget in an hour or 5 % in 6 hours, a ticket at 10 % in a day or in 3 days.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

struct Slo {
  std::string name;  // is_slo_name()
  // Either a distribution, or the counter with `le` of a classic histogram, and a threshold ...
  std::string latency;  // a selector of PromQL; empty: the counters are given
  double below = 0;     // in the unit of the series; an edge of its buckets
  // ... or what was bad, of all that there was.
  std::string bad;
  std::string total;
  double target = 0.999;  // the share that is good: above 0 and below 1
  Duration window = std::chrono::days(30);
  std::vector<std::string> by;  // is_label_name(): each of their values has a budget of its own
};

// Returns whether a name has 1 to 50 small letters, digits and `-`.
bool is_slo_name(std::string_view name);

// Returns whether all versions of PromQL know a name of a label without quotes.
bool is_label_name(std::string_view name);

// Returns a selector that Prometheus before version 3 understands, too: `a.b{c="d"}` becomes
// `{__name__="a.b",c="d"}`. A comma after the last label goes. Errors: kInvalid: it is empty, has two commas
// at its end, or its braces do not close.
Result<std::string> slo_selector(std::string_view text);

// Returns whether the selector is that of the buckets of a classic histogram: x_bucket{...}.
bool is_classic_histogram(std::string_view selector);

// The threshold in the unit of the series: "250ms" of a series in ns is 250'000'000; a number without a unit
// stays. Errors: kInvalid, also if the name of the series has no unit of time.
Result<double> slo_threshold(std::string_view text, std::string_view selector);

// The edge of the buckets of distributions that is nearest, so that counts of what is below are exact.
double nearest_edge(double value);

// A rule file in Prometheus' form.
std::string slo_rules(const Slo& slo);
// A dashboard for --dashboards.dir: the budget, how fast it is used, and the share that was bad.
std::string slo_dashboard(const Slo& slo);

}  // namespace statmill

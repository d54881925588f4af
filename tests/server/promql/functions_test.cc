// The table of functions: whole, sorted, and with a use of slots for every kind.
#include "server/promql/functions.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace statmill::promql {
namespace {

TEST(PromqlFunctions, EveryRowIsFoundByItsName) {
  for (const Function& function : all_functions()) EXPECT_EQ(find_function(function.name), &function);
  for (const Aggregator& aggregator : all_aggregators()) {
    EXPECT_EQ(find_aggregator(aggregator.name), &aggregator);
  }
  for (const std::string_view name : {"", "a", "Rate", "rate ", "zzz", "sum"}) {
    EXPECT_EQ(find_function(name), nullptr) << name;
  }
  EXPECT_EQ(find_aggregator("rate"), nullptr);
}

// The functions of Prometheus 2.42: a query that works there is understood here.
TEST(PromqlFunctions, ThoseOfPrometheusAreThere) {
  for (const std::string_view name : {"abs",
                                      "absent",
                                      "absent_over_time",
                                      "acos",
                                      "acosh",
                                      "asin",
                                      "asinh",
                                      "atan",
                                      "atanh",
                                      "avg_over_time",
                                      "ceil",
                                      "changes",
                                      "clamp",
                                      "clamp_max",
                                      "clamp_min",
                                      "cos",
                                      "cosh",
                                      "count_over_time",
                                      "day_of_month",
                                      "day_of_week",
                                      "day_of_year",
                                      "days_in_month",
                                      "deg",
                                      "delta",
                                      "deriv",
                                      "exp",
                                      "floor",
                                      "histogram_count",
                                      "histogram_fraction",
                                      "histogram_quantile",
                                      "histogram_sum",
                                      "holt_winters",
                                      "hour",
                                      "idelta",
                                      "increase",
                                      "irate",
                                      "label_join",
                                      "label_replace",
                                      "last_over_time",
                                      "ln",
                                      "log10",
                                      "log2",
                                      "max_over_time",
                                      "min_over_time",
                                      "minute",
                                      "month",
                                      "pi",
                                      "predict_linear",
                                      "present_over_time",
                                      "quantile_over_time",
                                      "rad",
                                      "rate",
                                      "resets",
                                      "round",
                                      "scalar",
                                      "sgn",
                                      "sin",
                                      "sinh",
                                      "sort",
                                      "sort_desc",
                                      "sqrt",
                                      "stddev_over_time",
                                      "stdvar_over_time",
                                      "sum_over_time",
                                      "tan",
                                      "tanh",
                                      "time",
                                      "timestamp",
                                      "vector",
                                      "year"}) {
    EXPECT_NE(find_function(name), nullptr) << name;
  }
}

// "gauge counter distribution", a letter each.
std::string uses_of(std::string_view name) {
  const Function* function = find_function(name);
  if (function == nullptr) return "unknown";
  std::string letters;
  for (const SlotUse use : {function->uses.gauge, function->uses.counter, function->uses.distribution}) {
    letters += "ESVHR"[static_cast<size_t>(use)];
  }
  return letters;
}

TEST(PromqlFunctions, UsesOfSlotsDependOnTheKind) {
  EXPECT_EQ(uses_of("avg_over_time"), "ESE");
  EXPECT_EQ(uses_of("rate"), "SEE");
  EXPECT_EQ(uses_of("irate"), "SSS");
  EXPECT_EQ(uses_of("quantile_over_time"), "SSH");
  EXPECT_EQ(uses_of("histogram_quantile"), "VVH");
  EXPECT_EQ(uses_of("resets"), "SRS");
  EXPECT_EQ(uses_of("abs"), "VVV");
  EXPECT_EQ(uses_of("absent"), "EEE");
  EXPECT_EQ(uses_of("start_timestamp"), "RRR");
}

TEST(PromqlFunctions, WhatIsRefusedSaysWhy) {
  for (const Function& function : all_functions()) {
    const bool is_refused = uses_of(function.name).find('R') != std::string::npos;
    EXPECT_EQ(is_refused, !function.refusal.empty()) << function.name;
  }
}

// The names in backticks of the section "Functions" of docs/promql.md.
std::set<std::string> documented_names() {
  std::ifstream page(std::string(STATMILL_SOURCE_TREE) + "/docs/promql.md");
  std::set<std::string> names;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_inside = line == "## Functions";
    if (!is_inside) continue;
    const bool is_row = line.starts_with("| `");
    if (!is_row && !line.starts_with("Aggregations: ") && !line.starts_with("`limit_ratio`")) continue;
    const std::string cell = is_row ? line.substr(0, line.find(" | ")) : line;
    for (size_t begin = cell.find('`'); begin != std::string::npos; begin = cell.find('`', begin)) {
      const size_t end = cell.find('`', ++begin);
      names.insert(cell.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  names.erase("by");
  names.erase("without");
  names.erase("sum");
  return names;
}

TEST(PromqlFunctions, ThePageListsThem) {
  std::set<std::string> known;
  for (const Function& function : all_functions()) known.emplace(function.name);
  for (const Aggregator& aggregator : all_aggregators()) known.emplace(aggregator.name);
  known.erase("sum");  // the page uses it in a sentence, too
  EXPECT_EQ(documented_names(), known);
}

}  // namespace
}  // namespace statmill::promql

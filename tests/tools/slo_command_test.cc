// `statmill slo`: the rules and the dashboard that it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temp_directory.h"
#include "tests/tools/run_command.h"
#include "tools/statmill/slo/slo.h"

namespace statmill {
namespace {

using testing::HasSubstr;

Outcome slo(std::vector<std::string> options) {
  options.insert(options.begin(), "slo");
  return run_command("http://127.0.0.1:8112", options);
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

TEST(SloCommand, WritesTheRulesOfALatency) {
  const Outcome out =
      slo({"checkout", "--latency", "web.latency_ns{path=\"/buy\"}", "--below", "250ms", "--by", "dc"});
  ASSERT_EQ(out.code, ExitCode::kOk) << out.messages;
  const std::string sum = R"(sum by (dc) (increase({__name__="web.latency_ns",path="/buy"}[)";
  std::string want =
      R"(# Written by `statmill slo`: 99.9 % of {__name__="web.latency_ns",path="/buy"} are below 251658240, over 30d.
groups:
  - name: slo-checkout
    interval: 1m
    rules:
)";
  const auto record = [&](const std::string& name, const std::string& window) {
    want += "      - record: slo:bad_ratio:" + name +
            "\n        expr: |\n          1 - histogram_fraction(-Inf, 251658240, " + sum + window +
            "])))\n        labels: {slo: checkout}\n";
  };
  for (const char* window : {"5m", "30m", "1h", "2h", "6h", "1d", "3d"}) record(window, window);
  want += R"(      - alert: BudgetBurnsFast
        expr: |
          (slo:bad_ratio:1h{slo="checkout"} > 14.4 * 0.001 and slo:bad_ratio:5m{slo="checkout"} > 14.4 * 0.001)
            or (slo:bad_ratio:6h{slo="checkout"} > 6 * 0.001 and slo:bad_ratio:30m{slo="checkout"} > 6 * 0.001)
        labels: {severity: page}
        annotations:
          summary: "The objective {{ $labels.slo }} is missed: {{ $value | humanizePercentage }} are bad, 0.1% are allowed"
      - alert: BudgetBurns
        expr: |
          (slo:bad_ratio:1d{slo="checkout"} > 3 * 0.001 and slo:bad_ratio:2h{slo="checkout"} > 3 * 0.001)
            or (slo:bad_ratio:3d{slo="checkout"} > 1 * 0.001 and slo:bad_ratio:6h{slo="checkout"} > 1 * 0.001)
        labels: {severity: ticket}
        annotations:
          summary: "The objective {{ $labels.slo }} is missed: {{ $value | humanizePercentage }} are bad, 0.1% are allowed"
  - name: slo-checkout-budget
    interval: 10m
    rules:
)";
  record("window", "30d");
  want += R"(      - record: slo:budget_left
        expr: |
          1 - slo:bad_ratio:window{slo="checkout"} / 0.001
        labels: {slo: checkout}
)";
  EXPECT_EQ(out.output, want);
}

TEST(SloCommand, CountersAndClassicHistogramsAreCountedExactly) {
  EXPECT_THAT(slo({"api", "--bad", "errors", "--total", "requests{a=\"b\"}"}).output,
              HasSubstr("sum (increase(errors[5m])) / sum (increase(requests{a=\"b\"}[5m]))\n"));
  EXPECT_THAT(slo({"api", "--latency", "x_seconds_bucket{a=\"b\"}", "--below", "250ms"}).output,
              HasSubstr("1 - sum (increase(x_seconds_bucket{a=\"b\",le=\"0.25\"}[5m])) / "
                        "sum (increase(x_seconds_count{a=\"b\"}[5m]))\n"));
  EXPECT_THAT(slo({"api", "--latency", "x_bucket{a=\"b,\", }", "--below", "0.5"}).output,
              HasSubstr("increase(x_bucket{a=\"b,\",le=\"0.5\"}[5m])"))
      << "a comma after the last label";
  EXPECT_THAT(slo({"api", "--latency", "x_bucket{ }", "--below", "0.5"}).output,
              HasSubstr("increase(x_bucket{le=\"0.5\"}[5m])"));
  EXPECT_THAT(slo({"api", "--bad", "web.errors {a=\"b\",}", "--total", "web.all{}"}).output,
              HasSubstr("sum (increase({__name__=\"web.errors\",a=\"b\"}[5m])) / "
                        "sum (increase({__name__=\"web.all\"}[5m]))\n"));
  EXPECT_THAT(slo({"api", "--latency", "x_bucket", "--below", "0.5"}).output,
              HasSubstr("increase(x_bucket{le=\"0.5\"}[5m])"));
  EXPECT_THAT(slo({"api", "--latency", "my_bucket_bucket{a=\"_bucket\"}", "--below", "0.5"}).output,
              HasSubstr("increase(my_bucket_count{a=\"_bucket\"}[5m])"));
}

TEST(SloCommand, WritesFilesForTheServer) {
  const TempDirectory directory;
  const std::string path = directory.path();
  const Outcome out =
      slo({"api", "--bad", "errors", "--total", "requests", "--rules", path, "--dashboards", path});
  EXPECT_EQ(out.code, ExitCode::kOk) << out.messages;
  EXPECT_EQ(out.output, "");
  EXPECT_THAT(file_text(directory.path() / "slo-api.yml"), HasSubstr("record: slo:budget_left"));
  EXPECT_EQ(file_text(directory.path() / "slo-api.json"), R"x({
  "format": 1,
  "title": "objective api",
  "folder": "objectives",
  "notes": "99.9 % of requests are not errors, over 30d. A burn rate of 1 uses the budget up in 30d.",
  "time": {"from": "-7d"},
  "panels": [
    {"at": [0,0,12,6], "title": "budget left", "expr": "slo:budget_left{slo=\"api\"}"},
    {"at": [0,6,6,6], "title": "burn rate", "expr": "label_replace(slo:bad_ratio:5m{slo=\"api\"} / 0.001, \"window\", \"5m\", \"\", \"\") or label_replace(slo:bad_ratio:1h{slo=\"api\"} / 0.001, \"window\", \"1h\", \"\", \"\") or label_replace(slo:bad_ratio:6h{slo=\"api\"} / 0.001, \"window\", \"6h\", \"\", \"\") or label_replace(slo:bad_ratio:3d{slo=\"api\"} / 0.001, \"window\", \"3d\", \"\", \"\")"},
    {"at": [6,6,6,6], "title": "share of bad ones", "expr": "slo:bad_ratio:5m{slo=\"api\"}"}
  ]
}
)x");
  EXPECT_EQ(slo({"api", "--bad", "a", "--total", "b", "--rules", path + "/nowhere"}).code, ExitCode::kFailed);
}

TEST(SloCommand, FaultsAreSaid) {
  const auto said = [](std::vector<std::string> options) {
    const Outcome out = slo(std::move(options));
    EXPECT_EQ(out.code, ExitCode::kUsage);
    return out.messages;
  };
  EXPECT_THAT(said({"A b", "--bad", "a", "--total", "b"}), HasSubstr("small letters"));
  EXPECT_THAT(said({"a", "--bad", "a"}), HasSubstr("give either"));
  EXPECT_THAT(said({"a", "--bad", "a", "--total", "b", "--latency", "c"}), HasSubstr("give either"));
  EXPECT_THAT(said({"a", "--bad", "a{", "--total", "b"}), HasSubstr("not a selector"));
  for (const char* selector : {"a{,}", "a{b=\"c\",,}", " ", "{}", " { }"}) {
    EXPECT_THAT(said({"a", "--bad", selector, "--total", "b"}), HasSubstr("not a selector")) << selector;
  }
  for (const char* label : {"", "a b", "a-b", "0a", "a)", "\xc3\xa4", "a,b"}) {
    EXPECT_THAT(said({"a", "--bad", "a", "--total", "b", "--by", "dc", "--by", label}),
                HasSubstr("--by is the name of a label"))
        << label;
  }
  EXPECT_THAT(said({"a", "--latency", "x", "--below", "250ms"}), HasSubstr("ends in a unit of time"));
  EXPECT_THAT(said({"a", "--latency", "x_ns", "--below", "250h"}), HasSubstr("unknown unit"));
  EXPECT_THAT(said({"a", "--latency", "x_ns", "--below", "much"}), HasSubstr("not a threshold"));
  EXPECT_THAT(said({"a", "--bad", "a", "--total", "b", "--target", "100"}), HasSubstr("below 100"));
  EXPECT_THAT(said({"a", "--bad", "a", "--total", "b", "--window", "1h"}), HasSubstr("from 3d"));
}

TEST(Slo, AThresholdIsTheNearestEdge) {
  EXPECT_EQ(nearest_edge(250e6), 251'658'240);
  EXPECT_EQ(nearest_edge(0.25), 0.25);
  EXPECT_EQ(nearest_edge(251'658'240), 251'658'240);
  EXPECT_EQ(*slo_threshold("1.5s", "x_ms"), 1500);
  EXPECT_EQ(*slo_threshold("1ms", "a.x_us{b=\"c\"}"), 1000);
  EXPECT_EQ(*slo_threshold("17", "x"), 17);
}

}  // namespace
}  // namespace statmill

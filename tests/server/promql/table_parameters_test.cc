// The parameters of /api/v1/table.
#include "server/promql/table_parameters.h"

#include <gtest/gtest.h>

#include "server/promql/selector_text.h"

namespace statmill {
namespace {

using Value = StatColumn::Value;
using Merge = StatColumn::Merge;
using Op = LabelMatcher::Op;

TEST(StatColumnText, EndsWithAStatAndPerhapsAMerge) {
  const auto rate = parse_stat_column(R"({"host.block.busy_ns",op="a:b"}:rate:max)");
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->stat, Stat::kRate);
  EXPECT_EQ(rate->merge, Merge::kMax);
  EXPECT_EQ(rate->matchers, (std::vector<LabelMatcher>{{Op::kEqual, "__name__", "host.block.busy_ns"},
                                                       {Op::kEqual, "op", "a:b"}}));
  const auto most = parse_stat_column("host.cpu:max");
  ASSERT_TRUE(most);
  EXPECT_EQ(most->stat, Stat::kMax);
  EXPECT_EQ(most->merge, Merge::kMerge);
  EXPECT_EQ(parse_stat_column("a:b:avg")->matchers[0].value, "a:b");
  EXPECT_DOUBLE_EQ(parse_stat_column("a:p99.9")->quantile, 0.999);
  EXPECT_EQ(parse_stat_column("a:last:avg")->value, Value::kLast);
  EXPECT_EQ(parse_stat_column("a.*:sum:merge")->matchers[0].label, "__graphite__");
  for (const char* const text : {"", "a", "a:", "a:much", "a:max:much", ":avg", "{a=:avg", "x{a=\"b\"}",
                                 "{a=\"b\"} offset 5m:avg", "rate({a=\"b\"}[5m]):avg", "[:avg"})
    EXPECT_FALSE(parse_stat_column(text)) << text;
}

TEST(SelectorText, IsASelectorAPathOrAGlob) {
  EXPECT_EQ(parse_selector_text("up{host=\"a\"}")->size(), 2U);
  EXPECT_EQ((*parse_selector_text("cpu.{user,idle}"))[0].label, "__graphite__");
  EXPECT_EQ((*parse_selector_text("cpu idle"))[0].value, "cpu idle");
  EXPECT_EQ((*parse_selector_text("{role=\"web\"}"))[0].label, "role");
}

class TableParametersTest : public testing::Test {
 protected:
  Result<TableParameters> parse(std::vector<Parameter> parameters) {
    return parse_table_parameters({"/api/v1/table", std::move(parameters)}, from_unix_seconds(1000));
  }
  std::string error(std::vector<Parameter> more) {
    std::vector<Parameter> parameters = {{"row", "tag:host"}, {"column", "cpu:avg"}};
    for (Parameter& one : more) parameters.push_back(std::move(one));
    const auto parsed = parse(std::move(parameters));
    return parsed ? "" : parsed.error().message;
  }
};

TEST_F(TableParametersTest, HaveDefaultsAndAMatchForAllColumns) {
  const auto parsed = parse({{"row", "tag:host"},
                             {"column", "cpu:avg"},
                             {"column", "mem:last"},
                             {"match", "{role=\"web\"}"},
                             {"sort", "-1"},
                             {"spark", "0:12"}});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const StatTableRequest& request = parsed->request;
  EXPECT_EQ(request.from_s, 940);
  EXPECT_EQ(request.until_s, 1001);
  EXPECT_EQ(request.limit, kTableRowsDefault);
  EXPECT_EQ(request.sort_column, 1U);
  EXPECT_TRUE(request.is_descending);
  EXPECT_EQ(request.spark->points, 12);
  for (const StatColumn& column : request.columns) EXPECT_EQ(column.matchers.back().value, "web");
}

TEST_F(TableParametersTest, ErrorsNameTheParameter) {
  EXPECT_EQ(parse({{"column", "cpu:avg"}}).error().message, "parameter row: missing");
  EXPECT_EQ(parse({{"row", "tag:host"}}).error().message, "parameter column: missing");
  EXPECT_EQ(error({{"sort", "1"}}), "parameter sort: neither \"row\" nor the index of a column");
  EXPECT_EQ(error({{"spark", "2:5"}}), "parameter spark: no index of a column");
  EXPECT_EQ(error({{"from", "now"}, {"until", "-1h"}}), "parameter from: not before until");
  for (const Parameter& bad : std::vector<Parameter>{{"spark", "0:301"},
                                                     {"limit", "0"},
                                                     {"limit", "10001"},
                                                     {"match", "{"},
                                                     {"from", "x"},
                                                     {"row", "a"}})
    EXPECT_NE(error({bad}), bad.name == "row" ? "x" : "") << bad.name << " " << bad.value;
  EXPECT_NE(error(std::vector<Parameter>(16, {"column", "cpu:max"})), "") << "17 columns";
}

}  // namespace
}  // namespace statmill

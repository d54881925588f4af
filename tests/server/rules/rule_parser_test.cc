#include "server/rules/rule_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace statmill::rules {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

std::string fault_of(const std::string& text) {
  const auto groups = parse_rules(text, "f.yml", {});
  return groups ? "" : groups.error().message;
}

TEST(RuleParser, ReadsEachField) {
  const auto groups = parse_rules(R"(
groups:
  - name: web
    interval: 30s
    query_offset: 1m
    limit: 10
    labels: {team: a, dc: all}
    rules:
      - record: job:http:rate5m
        expr: |
          sum by (job) (rate(http_requests_total[5m]))
        labels:
          dc: eu
      - alert: Down
        expr: up == 0
        for: 5m
        keep_firing_for: 10m
        labels:
          severity: page
        annotations:
          summary: "{{ $labels.instance }} is down"
  - name: empty
)",
                                  "web.yml", {});
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 2U);
  const RuleGroup& web = groups->front();
  EXPECT_EQ(web.name, "web");
  EXPECT_EQ(web.file, "web.yml");
  EXPECT_EQ(web.interval, seconds(30));
  EXPECT_EQ(web.query_offset, minutes(1));
  EXPECT_EQ(web.limit, 10U);
  ASSERT_EQ(web.rules.size(), 2U);
  const Rule& record = web.rules[0];
  EXPECT_EQ(record.kind, Rule::Kind::kRecording);
  EXPECT_EQ(record.name, "job:http:rate5m");
  EXPECT_EQ(record.expression, "sum by (job) (rate(http_requests_total[5m]))");
  ASSERT_EQ(record.labels.size(), 2U);
  EXPECT_EQ(record.labels[0].text, "eu");  // its own, not that of the group
  EXPECT_EQ(record.labels[1].text, "a");
  const Rule& alert = web.rules[1];
  EXPECT_EQ(alert.kind, Rule::Kind::kAlerting);
  EXPECT_EQ(alert.hold, minutes(5));
  EXPECT_EQ(alert.keep_firing, minutes(10));
  EXPECT_EQ(alert.labels.size(), 3U);
  EXPECT_EQ(alert.annotations.at(0).name, "summary");
  EXPECT_EQ(groups->back().interval, RuleOptions().interval);
}

TEST(RuleParser, AFileMayBeEmpty) {
  EXPECT_EQ(fault_of(""), "");
  EXPECT_EQ(fault_of("groups:\n"), "");
  EXPECT_EQ(fault_of("groups: []\n"), "");
}

TEST(RuleParser, FaultsNameTheirLine) {
  struct Case {
    std::string text;
    std::string_view want;
  };
  const std::string head = "groups:\n- name: g\n  rules:\n";
  const Case cases[] = {
      {"groups: 5", "line 1: groups is a list"},
      {"nogroups: []", "line 1: a rule file has no field \"nogroups\""},
      {"groups:\n- rules: []", "line 2: a group has no name"},
      {"groups:\n- name: a\n- name: a", "line 3: the group \"a\" is given twice"},
      {"groups:\n- name: a\n  interval: 5", "line 3: "},
      {"groups:\n- name: a\n  interval: 10ms", "the interval of a group is at least 1s"},
      {"groups:\n- name: a\n  interval: 100y", "and at most 366d"},
      {"groups:\n- name: a\n  query_offset: 100y", "the query_offset is at most 366d"},
      {"groups:\n- name: a\n  limit: x", "line 3: a number is expected"},
      {head + "  - record: a\n    expr: sum(", "line 5: expr: 1:5: parse error"},
      {head + "  - record: a\n    expr: x[5m]", "line 5: expr: a rule wants a scalar or an instant vector"},
      {head + "  - record: a", "line 4: a rule has no expression"},
      {head + "  - expr: up", "a rule has either `record` or `alert`"},
      {head + "  - record: a\n    alert: b\n    expr: up", "a rule has either `record` or `alert`"},
      {head + "  - record: a\n    expr: up\n    for: 5m", "a recording rule has no `for`"},
      {head + "  - alert: a\n    expr: up\n    for: 5 min", "line 6: not a valid duration string"},
      {head + "  - alert: a\n    expr: up\n    annotations: {x: '{{ $y }}'}", "undefined variable \"$y\""},
      {head + "  - alert: a\n    expr: up\n    labels: {__name__: x}", "\"__name__\" is no name of a label"},
      {head + "  - alert: a\n    expr: up\n    lables: {}", "line 6: a rule has no field \"lables\""},
      {head + "  - alert: a\n    alert: b\n    expr: up", "the field alert is given twice"},
      {"groups:\n- name: [", "line 2: "},
      {"---\ngroups: []\n---\ngroups: []\n", "one YAML document"},
  };
  for (const Case& c : cases) EXPECT_THAT(fault_of(c.text), HasSubstr(c.want)) << c.text;
}

TEST(RuleParser, HostileYamlIsRefused) {
  EXPECT_NE(fault_of(std::string(100'000, '[')), "");
  EXPECT_THAT(fault_of("groups: []\n, more"), HasSubstr("line 2"));
  EXPECT_NE(fault_of("# A\nForMemory\n ,      expe b: 1\n"), "");
  for (const char byte : {'\0', '\4', '\x1b', '\x7f', '\xff'})
    EXPECT_EQ(fault_of("groups:\n- name: " + std::string(1, byte)),
              "line 2: a byte that is not text in UTF-8");
  EXPECT_NE(fault_of(std::string(kRuleFileBytesMax + 1, ' ')), "");
  std::string laughs = "a: &a [x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    laughs += std::string(1, c) + ": &" + c + " [" + before + "," + before + "," + before + "]\n";
  }
  EXPECT_NE(fault_of(laughs), "");
  std::string repeated = "groups:\n- name: g\n  rules:\n  - &a {record: a, expr: up}\n";
  for (size_t i = 0; i < kRulesMax; ++i) repeated += "  - *a\n";
  EXPECT_THAT(fault_of(repeated), HasSubstr("a file has at most 10000 rules"));
  std::string labels = "groups:\n- name: g\n  labels:\n";
  for (size_t i = 0; i <= kRuleTextsMax; ++i) labels += "    l" + std::to_string(i) + ": x\n";
  EXPECT_THAT(fault_of(labels), HasSubstr("line 68: there are more than 64 labels"));
  const std::string name(kRuleNameBytesMax + 1, 'n');
  EXPECT_THAT(fault_of("groups: [{name: g, rules: [{alert: " + name + ", expr: up}]}]"),
              HasSubstr("more than 512 bytes"));
  EXPECT_THAT(fault_of("groups: [{name: g, labels: {" + name + ": x}}]"), HasSubstr("no name of a label"));
}

}  // namespace
}  // namespace statmill::rules

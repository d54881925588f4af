#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "server/rules/humanize.h"
#include "server/rules/template_parser.h"
#include "server/rules/template_run.h"

namespace statmill::rules {
namespace {

using testing::HasSubstr;

Result<std::vector<TemplateSample>> answer(std::string_view query) {
  if (query == "none") return std::vector<TemplateSample>();
  if (query == "bad") return Error{ErrorCode::kInvalid, "no such thing"};
  return std::vector<TemplateSample>{{{{"host", "web2"}, {"__name__", "up"}}, 2}, {{{"host", "web1"}}, 1}};
}

std::string expanded(std::string_view text, double value = 1234567) {
  const auto tree = parse_template(text);
  if (!tree) return "parse: " + tree.error().message;
  const TemplateData data{{{"instance", "web1:9100"}, {"job", "node"}}, {{"site", "eu"}}, "http://s", value};
  const auto out = expand_template(*tree, data, {answer, "http://s"});
  return out ? *out : "run: " + out.error().message;
}

// What Go's text/template and Prometheus' functions print for the same template.
TEST(Template, PrintsWhatPrometheusPrints) {
  struct Case {
    std::string_view text;
    std::string_view want;
  };
  const Case cases[] = {
      {"plain", "plain"},
      {"", ""},
      {"{{ $labels.instance }} is down", "web1:9100 is down"},
      {"{{ .Labels.instance }}{{ $.Labels.job }}", "web1:9100node"},
      {"{{ $labels.nothing }}", ""},
      {"{{ $value }}", "1.234567e+06"},
      {"{{ .Value }}", "1.234567e+06"},
      {"{{ $externalLabels.site }} {{ $externalURL }} {{ externalURL }}", "eu http://s http://s"},
      {"a {{- 1 -}} b", "a1b"},
      {"a {{ 1 }} b", "a 1 b"},
      {"{{/* a comment */}}x", "x"},
      {"{{ $value | humanize }}B", "1.235MB"},
      {"{{ humanize1024 $value }}B", "1.177MiB"},
      {"{{ 0.1234 | humanizePercentage }}", "12.34%"},
      {"{{ 93784.0 | humanizeDuration }}", "1d 2h 3m 4s"},
      {"{{ 1.5 | humanizeTimestamp }}", "1970-01-01 00:00:01.5 +0000 UTC"},
      {R"({{ printf "%.2f|%5.1f|%d|%s|%q|%v|%%" 1.0 2.25 7 "x" "y" true }})", "1.00|  2.2|7|x|\"y\"|true|%"},
      {R"({{ printf "%d %s" "x" 1.5 }})", "%!d(string=x) %!s(float64=1.5)"},
      {R"({{ printf "%d" }}{{ printf "a" 1 }})", "%!d(MISSING)a%!(EXTRA int=1)"},
      {"{{ if gt $value 10.0 }}many{{ else }}few{{ end }}", "many"},
      {"{{ if eq $labels.job \"a\" }}1{{ else if eq $labels.job \"node\" }}2{{ else }}3{{ end }}", "2"},
      {"{{ if and (eq 1 1) (ne 1 2) (not false) }}yes{{ end }}", "yes"},
      {"{{ or \"\" \"b\" }}{{ and 0 \"b\" }}", "b0"},
      {"{{ with $labels.nothing }}x{{ else }}none{{ end }}", "none"},
      {"{{ with $labels.job }}{{ . }}{{ end }}", "node"},
      {"{{ range $k, $v := $labels }}{{ $k }}={{ $v }};{{ end }}", "instance=web1:9100;job=node;"},
      {"{{ range query \"up\" }}{{ .Labels.host }}={{ .Value }} {{ end }}", "web2=2 web1=1 "},
      {"{{ range $i, $s := query \"up\" | sortByLabel \"host\" }}{{ $i }}{{ $s.Labels.host }} {{ end }}",
       "0web1 1web2 "},
      {"{{ range query \"none\" }}x{{ else }}none{{ end }}", "none"},
      {"{{ query \"up\" | first | value }}", "2"},
      {"{{ query \"up\" | first | label \"host\" }}", "web2"},
      {"{{ (first (query \"up\")).Labels.host }}", "web2"},
      {"{{ len (query \"up\") }}{{ (index (query \"up\") 1).Value }}{{ index $labels \"job\" }}", "21node"},
      {"{{ $x := \"a\" }}{{ if true }}{{ $x = \"b\" }}{{ end }}{{ $x }}", "b"},
      {R"({{ reReplaceAll "(.*):.*" "<$1>" $labels.instance }})", "<web1>"},
      {R"({{ match "web[0-9]" $labels.instance }})", "true"},
      {"{{ $labels.instance | stripPort | toUpper }}", "WEB1"},
      {"{{ stripDomain \"a.example.org:80\" }} {{ stripDomain \"10.0.0.1:80\" }}", "a:80 10.0.0.1:80"},
      {"{{ title \"two words\" }}{{ toLower \"ABC\" }}", "Two Wordsabc"},
      {"{{ `raw \\n` }}{{ \"tab\\t\\x41\\u00e4\" }}", "raw \\ntab\tA\xc3\xa4"},
      {"{{ parseDuration \"1h30m\" }}", "5400"},
      {"{{ print 1 2 \"a\" 3 }}", "1 2a3"},
      {"{{ html \"<a>\" }}{{ urlquery \"a b/c\" }}", "&lt;a&gt;a%20b%2Fc"},
      {"{{ $labels }}", "map[instance:web1:9100 job:node]"},
  };
  for (const Case& c : cases) EXPECT_EQ(expanded(c.text), c.want) << c.text;
}

TEST(Template, FaultsAreErrorsWithTheirLine) {
  struct Case {
    std::string_view text;
    std::string_view want;
  };
  const Case cases[] = {
      {"a\n{{ $nothing }}", "parse: template, line 2: undefined variable \"$nothing\""},
      {"{{ $labels.a", "unclosed action"},
      {"{{ nofunction 1 }}", "function \"nofunction\" is not defined"},
      {"{{ if true }}x", "{{end}} is missing"},
      {"x{{ end }}", "unexpected {{end}}"},
      {"{{ \"a }}", "unterminated quoted string"},
      {"{{ template \"x\" }}", "{{template}} is not supported"},
      {"{{ ( 1 }}", "unclosed left parenthesis"},
      {"{{ 1x }}", "unexpected \"1x\""},
      {"{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}", "undefined variable \"$x\""},
      {"{{ query \"bad\" }}", "run: template: query: no such thing"},
      {"{{ first (query \"none\") }}", "first() of an empty list"},
      {"{{ $value.x }}", "a float64 has no field x"},
      {"{{ gt \"a\" 1 }}", "cannot be compared"},
      {"{{ humanize \"abc\" }}", "humanize"},
      {"{{ index (query \"up\") 7 }}", "index out of range: 7"},
      {"{{ reReplaceAll \"(\" \"\" \"\" }}", "regular expression"},
      {"{{ 1 2 }}", "a value cannot have arguments"},
      {"{{ range 5 }}{{ end }}", "range cannot go over a int"},
  };
  for (const Case& c : cases) EXPECT_THAT(expanded(c.text), HasSubstr(c.want)) << c.text;
}

TEST(Template, WorkAndSizeAreBounded) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{{ if true }}";
  EXPECT_THAT(expanded(deep), HasSubstr("nested too deeply"));
  EXPECT_THAT(expanded("{{ " + std::string(5000, '(') + " 1"), HasSubstr("nested too deeply"));
  EXPECT_THAT(expanded(std::string(kTemplateBytesMax + 1, 'x')), HasSubstr("longer than"));
  std::string growing = "{{ $x := \"0123456789\" }}";
  for (int i = 0; i < 30; ++i) growing += "{{ $x = print $x $x }}";
  EXPECT_THAT(expanded(growing), HasSubstr("too long"));
  EXPECT_THAT(expanded("{{ $x := printf \"%100d\" 1 }}{{ $x = print $x $x $x $x $x $x $x $x }}"
                       "{{ $x = print $x $x $x $x $x $x $x $x }}{{ reReplaceAll \"\" $x $x }}"),
              HasSubstr("reReplaceAll: the text and the replacement are too long"));
  std::string nested = "{{ $x := 1 }}";
  for (int i = 0; i < 20; ++i) nested += "{{ range query \"up\" }}";
  nested += "x";
  for (int i = 0; i < 20; ++i) nested += "{{ end }}";
  EXPECT_THAT(expanded(nested), HasSubstr("steps"));
  EXPECT_LE(expanded("{{ printf \"%1000000d\" 1 }}").size(), 200U);
}

TEST(Humanize, HasFourDigitsAndAUnit) {
  EXPECT_EQ(humanize(0), "0");
  EXPECT_EQ(humanize(999.94), "999.9");
  EXPECT_EQ(humanize(1000), "1k");
  EXPECT_EQ(humanize(-1500), "-1.5k");
  EXPECT_EQ(humanize(0.0001), "100u");
  EXPECT_EQ(humanize(1e30), "1e+06Y");
  EXPECT_EQ(humanize(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(humanize(std::nan("")), "NaN");
  EXPECT_EQ(humanize_1024(1024), "1ki");
  EXPECT_EQ(humanize_1024(0.5), "0.5");
  EXPECT_EQ(humanize_duration(0), "0s");
  EXPECT_EQ(humanize_duration(59.4), "59.4s");
  EXPECT_EQ(humanize_duration(60), "1m 0s");
  EXPECT_EQ(humanize_duration(3599), "59m 59s");
  EXPECT_EQ(humanize_duration(-86'400), "-1d 0h 0m 0s");
  EXPECT_EQ(humanize_duration(0.123), "123ms");
  EXPECT_EQ(humanize_timestamp(1435065584.128), "2015-06-23 13:19:44.128 +0000 UTC");
  EXPECT_EQ(humanize_timestamp(1e300), "1e+300");
}

}  // namespace
}  // namespace statmill::rules

// The text format of Prometheus and OpenMetrics: what is read, what is refused, and that nothing else is.
#include "proto/prometheus/exposition_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "tests/proto/tag_laws.h"

namespace statmill {
namespace {

using Item = ExpositionReader::Item;
constexpr auto kText = ExpositionFormat::kText;
constexpr auto kOpenMetrics = ExpositionFormat::kOpenMetrics;

std::string number_text(const ExpositionSample& sample) {
  std::string out;
  if (!sample.special) {
    append_number(out, sample.value.value());
    return out;
  }
  if (*sample.special != *sample.special) return "nan";
  return *sample.special > 0 ? "+inf" : "-inf";
}

std::string_view type_text(FamilyType type) {
  constexpr std::string_view kTexts[] = {"unknown",        "counter", "gauge", "histogram",
                                         "gaugehistogram", "summary", "info",  "stateset"};
  return kTexts[static_cast<size_t>(type)];
}

// " #{a=b} value@time_ms".
std::string exemplar_text(const ExpositionExemplar& exemplar) {
  std::string text = " #";
  for (const LabelView& label : exemplar.labels)
    text.append("{").append(label.name).append("=").append(label.value).append("}");
  append_number(text.append(" "), exemplar.value.value());
  if (exemplar.time_ms) text.append("@").append(std::to_string(*exemplar.time_ms));
  return text;
}

// Returns each item as a line: "name{a=b} value@time_ms #exemplar (family type)", with ! for an exemplar that
// cannot be read, "family type help unit",
// "3: reason".
std::vector<std::string> read(std::string_view text, ExpositionFormat format = kText) {
  const ExactCopy copy(text);
  ExpositionReader reader(copy.text(), format);
  std::vector<std::string> out;
  for (Item item = reader.next(); item != Item::kEnd; item = reader.next()) {
    std::string line;
    const ExpositionFamily& family = reader.family();
    if (item == Item::kFault) {
      line = std::to_string(reader.line_number()) + ": " + std::string(refusal_label(reader.fault()));
    } else if (item == Item::kMetadata) {
      line.append(family.name).append(" ").append(type_text(family.type));
      if (!family.help.empty()) line.append(" \"").append(family.help).append("\"");
      if (!family.unit.empty()) line.append(" ").append(family.unit);
    } else {
      const ExpositionSample& sample = reader.sample();
      line.append(sample.name);
      for (const LabelView& label : sample.labels)
        line.append("{").append(label.name).append("=").append(label.value).append("}");
      line.append(" ").append(number_text(sample));
      if (sample.time_ms) line.append("@").append(std::to_string(*sample.time_ms));
      if (sample.exemplar) line.append(exemplar_text(*sample.exemplar));
      if (sample.has_bad_exemplar) line.append(" !");
      line.append(" (").append(family.name).append(" ").append(type_text(family.type)).append(")");
    }
    out.push_back(line);
  }
  if (format == kOpenMetrics && !reader.is_complete()) out.emplace_back("incomplete");
  return out;
}

struct ReadCase {
  std::string input;
  std::vector<std::string> want;
  std::string why;
};

void expect_reads(const std::vector<ReadCase>& table, ExpositionFormat format = kText) {
  for (const ReadCase& c : table) EXPECT_EQ(read(c.input, format), c.want) << c.input << ": " << c.why;
}

TEST(ExpositionReader, ReadsSamples) {
  expect_reads({
      {"a 1\n", {"a 1 (a unknown)"}, "a name and a value"},
      {"a 1", {"a 1 (a unknown)"}, "the last line needs no LF"},
      {"a 1 1700000000123\n", {"a 1@1700000000123 (a unknown)"}, "milliseconds"},
      {"a 1 -5\n", {"a 1@-5 (a unknown)"}, "before 1970"},
      {" a\t1 \r\n", {"a 1 (a unknown)"}, "blanks around"},
      {"a{} 1\n", {"a 1 (a unknown)"}, "no labels"},
      {"a{b=\"c\",} 1\n", {"a{b=c} 1 (a unknown)"}, "a comma at the end"},
      {"a { b = \"c\" , d = \"\" } 1\n", {"a{b=c}{d=} 1 (a unknown)"}, "blanks between"},
      {"a{b=\"x\\\\y\\\"z\\n\\q\"} 1\n", {"a{b=x\\y\"z\n\\q} 1 (a unknown)"}, "escapes"},
      {"a{b=\"}, # {\"} 1\n", {"a{b=}, # {} 1 (a unknown)"}, "a value may have anything"},
      {"{\"my.name\",\"my label\"=\"b\"} 1\n",
       {"my.name{my label=b} 1 (my.name unknown)"},
       "names in quotes"},
      {"a:b_1 1\n", {"a:b_1 1 (a:b_1 unknown)"}, "colons and digits"},
      {"a +Inf\na -Inf\na NaN\n",
       {"a +inf (a unknown)", "a -inf (a unknown)", "a nan (a unknown)"},
       "not finite"},
      {"a 1.5e3\n", {"a 1500 (a unknown)"}, "an exponent"},
      {"\n \n# a comment\n#\na 1\n", {"a 1 (a unknown)"}, "empty lines and comments"},
  });
}

TEST(ExpositionReader, NumbersAreExact) {
  ExpositionReader reader("a 9007199254740993\nb 0.1\n", kText);
  ASSERT_EQ(reader.next(), Item::kSample);
  EXPECT_EQ(reader.sample().value, Number::decimal(9007199254740993, 0));
  ASSERT_EQ(reader.next(), Item::kSample);
  EXPECT_EQ(reader.sample().value, Number::decimal(1, 1));
}

TEST(ExpositionReader, ReadsFamilies) {
  EXPECT_EQ(
      read("# HELP http_requests_total All of \\\\ them\\nand more.\n"
           "# TYPE http_requests_total counter\n"
           "http_requests_total{code=\"200\"} 3\n"
           "# TYPE lag histogram\n"
           "lag_bucket{le=\"+Inf\"} 2\nlag_sum 4\nlag_count 2\nlag_max 3\nlag_count 1\n"
           "# TYPE s summary\ns{quantile=\"0.5\"} 1\ns_bucket 1\n"),
      (std::vector<std::string>{"http_requests_total unknown \"All of \\ them\nand more.\"",
                                "http_requests_total counter \"All of \\ them\nand more.\"",
                                "http_requests_total{code=200} 3 (http_requests_total counter)",
                                "lag histogram", "lag_bucket{le=+Inf} 2 (lag histogram)",
                                "lag_sum 4 (lag histogram)", "lag_count 2 (lag histogram)",
                                "lag_max 3 (lag_max unknown)", "lag_count 1 (lag_count unknown)", "s summary",
                                "s{quantile=0.5} 1 (s summary)", "s_bucket 1 (s_bucket unknown)"}));
  EXPECT_EQ(read("# TYPE \"my.name\" gauge\n{\"my.name\"} 1\n"),
            (std::vector<std::string>{"my.name gauge", "my.name 1 (my.name gauge)"}));
}

TEST(ExpositionReader, ReadsOpenMetrics) {
  EXPECT_EQ(read("# TYPE requests counter\n# UNIT requests requests\n# HELP requests All.\n"
                 "requests_total 3 1700000000.1239 # {trace_id=\"abc\"} 0.67 1700000000\n"
                 "requests_created 1700000000\n"
                 "# TYPE b info\nb_info{v=\"1\"} 1 -0.0001\n# EOF\n",
                 kOpenMetrics),
            (std::vector<std::string>{
                "requests counter", "requests counter requests", "requests counter \"All.\" requests",
                "requests_total 3@1700000000123 #{trace_id=abc} 0.67@1700000000000 (requests counter)",
                "requests_created 1700000000 (requests counter)", "b info", "b_info{v=1} 1@-1 (b info)"}));
  expect_reads(
      {{"a 1\n", {"a 1 (a unknown)", "incomplete"}, "the end is missing"},
       {"a 1\n# EOF", {"a 1 (a unknown)"}, "no LF after the end"},
       {"# EOF\na 1\n", {"2: field_count"}, "nothing may follow"},
       {"a 1 # {} 1\n# EOF\n", {"a 1 # 1 (a unknown)"}, "an exemplar without a time before it"},
       {"a 1 # { b = \"c\\\"}\" , d=\"\" }  -1e-1\t2.0019 \n# EOF\n",
        {"a 1 #{b=c\"}}{d=} -0.1@2001 (a unknown)"},
        "blanks, and what a value may have"},
       {"a{b=\"x\"} 1 # {b=\"y\"} 2\n# EOF\n", {"a{b=x} 1 #{b=y} 2 (a unknown)"}, "the labels of both"},
       {"a 1 # {\"b.c\"=\"d\"} 2\n# EOF\n", {"a 1 #{b.c=d} 2 (a unknown)"}, "a quoted name"},
       {"a 1 # {\"b\"} 2\n# EOF\n", {"a 1 ! (a unknown)"}, "an exemplar has no name"},
       {"a 1 # {b=\"c\"}\n# EOF\n", {"a 1 ! (a unknown)"}, "no value"},
       {"a 1 # {b=\"c\"} nan\n# EOF\n", {"a 1 ! (a unknown)"}, "no number"},
       {"a 1 # {b=\"c\"} 1 2 3\n# EOF\n", {"a 1 ! (a unknown)"}, "one field more"},
       {"a 1 # {b=\"c\"} 1 1e30\n# EOF\n", {"a 1 ! (a unknown)"}, "a time beyond 63 bits"},
       {"a 1 # {b=\"c\" 1\n# EOF\n", {"a 1 ! (a unknown)"}, "no end of the labels"},
       {"a 1 # {b=\"1\",b=\"2\"} 1\n# EOF\n", {"a 1 ! (a unknown)"}, "a label twice"},
       {"a 1 1e3\n# EOF\n", {"a 1@1000000 (a unknown)"}, "seconds with an exponent"},
       {"a 1 1e30\n# EOF\n", {"1: bad_time"}, "beyond 63 bits"}},
      kOpenMetrics);
  EXPECT_EQ(read("a 1 # {b=\"c\"} 1\n"), std::vector<std::string>{"1: bad_time"}) << "0.0.4 has no exemplars";
}

TEST(ExpositionReader, RefusesLinesAndGoesOn) {
  expect_reads({
      {"a\nb 1\n", {"1: field_count", "b 1 (b unknown)"}, "no value"},
      {"a 1 2 3\n", {"1: field_count"}, "four fields"},
      {"a x\n", {"1: bad_value"}, "no number"},
      {"a 0x10\n", {"1: bad_value"}, "hex"},
      {"a 1_000\n", {"1: bad_value"}, "underscores"},
      {"a 1e999\n", {"1: out_of_range"}, "beyond a double"},
      {"a 1 1.5\n", {"1: bad_time"}, "no whole milliseconds"},
      {"1a 1\n", {"1: bad_name"}, "a digit in front"},
      {"a.b 1\n", {"1: bad_name"}, "a dot without quotes"},
      {"{} 1\n", {"1: empty_name"}, "no name"},
      {"{\"\"} 1\n", {"1: empty_name"}, "no name in quotes"},
      {"a{\"b\"} 1\n", {"1: bad_tag"}, "two names"},
      {"{a=\"b\",\"c\"} 1\n", {"1: bad_tag"}, "the name is not the first"},
      {"a{b} 1\n", {"1: bad_tag"}, "no value"},
      {"a{b=c} 1\n", {"1: bad_tag"}, "no quotes"},
      {"a{b=\"c} 1\n", {"1: bad_tag"}, "an open quote"},
      {"a{b=\"c\\\n", {"1: bad_tag"}, "an open escape"},
      {"a{b=\"c\" d=\"e\"} 1\n", {"1: bad_tag"}, "no comma"},
      {"a{b=\"c\",,} 1\n", {"1: bad_tag"}, "two commas"},
      {"a{b=\"c\"", {"1: bad_tag"}, "an open brace"},
      {"a{1b=\"c\"} 1\n", {"1: bad_tag"}, "a digit in front"},
      {"a{b:c=\"d\"} 1\n", {"1: bad_tag"}, "a colon"},
      {"a{b=\"c\",b=\"c\"} 1\n", {"1: duplicate_tag"}, "a label twice"},
      {"# TYPE a thing\n", {"1: bad_metadata"}, "no type"},
      {"# TYPE a\n", {"1: bad_metadata"}, "a type is missing"},
      {"# TYPE\n", {"1: bad_metadata"}, "all is missing"},
      {"# HELP a x\n# HELP a y\n", {"a unknown \"x\"", "2: bad_metadata"}, "a second help"},
      {"# HELP a.b text\n", {"1: bad_metadata"}, "no name"},
      {std::string(65536, 'a') + " 1\nb 1\n", {"1: line_too_long", "b 1 (b unknown)"}, "a long line"},
  });
  std::string many = "a{";
  for (size_t i = 0; i < ExpositionReader::kLabelsMax; ++i) many += "l" + std::to_string(i) + "=\"\",";
  EXPECT_EQ(read(many + "} 1\n").size(), 1U);
  EXPECT_NE(read(many + "} 1\n").front(), "1: tag_limit");
  EXPECT_EQ(read(many + "more=\"\"} 1\n"), std::vector<std::string>{"1: tag_limit"});
}

RC_GTEST_PROP(ExpositionReader, EachLineIsOneItemAtMost,
              (std::vector<std::string> lines, bool is_open_metrics)) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const ExactCopy copy(text);
  ExpositionReader reader(copy.text(), is_open_metrics ? kOpenMetrics : kText);
  size_t items = 0;
  while (reader.next() != Item::kEnd) ++items;
  RC_ASSERT(items <= reader.line_number());
  RC_ASSERT(reader.line_number() == static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
}

}  // namespace
}  // namespace statmill

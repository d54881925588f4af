// What pickles and answers to scrapes cost is at most linear in their bytes, also for the worst that we know.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proto/graphite/pickle_parser.h"
#include "proto/prometheus/exposition_reader.h"
#include "tests/cost/linear_cost.h"

namespace statmill {
namespace {

constexpr size_t kPickle = size_t{1} << 20;

void pickle(const std::string& bytes) {
  Batch batch;
  static_cast<void>(parse_graphite_pickle(bytes, batch));
}

void exposition(const std::string& text) {
  for (const ExpositionFormat format : {ExpositionFormat::kText, ExpositionFormat::kOpenMetrics}) {
    ExpositionReader reader(text, format);
    while (reader.next() != ExpositionReader::Item::kEnd) {
    }
  }
}

// A list in protocol 2 with `middle` as often as it fits.
std::function<std::string(size_t)> list_of(std::string begin, std::string middle) {
  return [=](size_t bytes) { return "](" + begin + repeated(middle, bytes) + "e."; };
}
std::function<std::string(size_t)> repeats_of(std::string text) {
  return [text = std::move(text)](size_t bytes) { return repeated(text, bytes); };
}

std::vector<CostCase> pickle_cases() {
  const std::string number = "J\xff\xff\xff\xff";
  return {
      {"PickleSamples",
       list_of("", "U\x0bshop.ordersq\x01" + number + "G\x40\x29" + std::string(6, '\0') + "\x86\x86"),
       pickle, 60, 2000, kPickle},
      {"PickleSharedLongName",
       list_of("X\x40\x0d\x03" + std::string(1, '\0') + std::string(200'000, 'a') + "q\x01",
               "h\x01K\x01K\x01\x86\x86"),
       pickle, 60, 2000, kPickle},
      {"PickleRewrittenNames",
       list_of("U\x07"
               "a;z=1;bq\x01",
               "h\x01K\x01K\x01\x86\x86"),
       pickle, 60, 2000, kPickle},
      {"PickleOfReferences",
       list_of("U\x01"
               "aq\x01K\x01K\x01\x86\x86q\x02",
               "h\x02"),
       pickle, 60, 1000, kPickle},
      {"PickleOfLists", repeats_of("]"), pickle, 60, 1000, kPickle},
      {"PickleOfMarks", repeats_of("("), pickle, 60, 1000, kPickle},
      {"PickleOfAppends", list_of("]", "Na"), pickle, 100, 1000, kPickle},
      {"PickleOfPlaces", list_of("N", "r\xff\xff\x0f" + std::string(1, '\0')), pickle, 60, 1000, kPickle},
      {"PickleOfEscapes", list_of("", "V\\u03c9\n"), pickle, 60, 2000, kPickle},
  };
}

std::vector<CostCase> exposition_cases() {
  std::string labels;
  for (size_t i = 0; i < ExpositionReader::kLabelsMax; ++i) labels += "l" + std::to_string(i) + "=\"v\",";
  return {
      {"ExpositionSamples",
       repeats_of("http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000\n"), exposition, 10,
       1000, kPickle},
      {"ExpositionManyLabels", repeats_of("a{" + labels + "} 1\n"), exposition, 10, 2000, kPickle},
      {"ExpositionEscapes", repeats_of("a{b=\"\\\\\\n\\\"\"} 1\n"), exposition, 10, 2000, kPickle},
      {"ExpositionHelps", repeats_of("# HELP a x\\ny\n"), exposition, 10, 2000, kPickle},
      {"ExpositionFamilies", repeats_of("# HELP a x\\ny\n# HELP b x\\ny\n"), exposition, 10, 2000, kPickle},
      {"ExpositionOpenQuote", repeats_of("a{b=\""), exposition, 10, 1000, kPickle},
      {"ExpositionEmptyLines", repeats_of("\n"), exposition, 10, 2000, kPickle},
  };
}

class FormatCost : public testing::TestWithParam<CostCase> {};

TEST_P(FormatCost, IsLinear) { EXPECT_TRUE(is_linear(GetParam())); }

constexpr auto kFormatName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Pickles, FormatCost, testing::ValuesIn(pickle_cases()), kFormatName);
INSTANTIATE_TEST_SUITE_P(Expositions, FormatCost, testing::ValuesIn(exposition_cases()), kFormatName);

}  // namespace
}  // namespace statmill

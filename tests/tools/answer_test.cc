// Answers of the server as values.
#include "tools/statmill/answer.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <random>

#include "base/text.h"
#include "tools/statmill/parse_json.h"

namespace statmill {
namespace {

std::string one_number(const std::string& number) {
  return "{\"from\":0,\"until\":10,\"step\":10,\"series\":[{\"name\":\"a\",\"kind\":\"gauge\",\"avg\":[" +
         number + "]}]}\n";
}

double parsed(const std::string& number) {
  const auto result = parse_query_result(one_number(number), {"avg"});
  return result ? result->series.at(0).columns.at(0).second.at(0).value_or(-1) : -2;
}

TEST(QueryResult, HasTheNearestDoubles) {
  for (const auto& [text, want] :
       std::vector<std::pair<std::string, double>>{{"68.38187061", 68.38187061},
                                                   {"0.13333333333333333", 0.13333333333333333},
                                                   {"9223372036854775807", 9223372036854775807.0},
                                                   {"-9.223372036854775807", -9.223372036854775807},
                                                   {"1e-04", 1e-04},
                                                   {"92233720368547758080", 92233720368547758080.0},
                                                   {"5e-324", 5e-324},
                                                   {"1.7976931348623157e+308", 1.7976931348623157e+308}}) {
    EXPECT_EQ(parsed(text), want) << text;
  }
}

TEST(QueryResult, KeepsEveryDoubleThatTheServerWrites) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double value = static_cast<double>(random() >> 11) / static_cast<double>(1 + random() % 100'000);
    std::string text;
    append_number(text, value);
    ASSERT_EQ(parsed(text), value) << text;
  }
}

TEST(QueryTexts, HasTheNumbersAsTheServerWroteThem) {
  for (const std::string text :
       {"33.501999999999995", "0.10000000000000001", "999999999999999999", "-9223372036854775808",
        "92233720368547758080", "8999999999999999991", "1e-04", "1.5", "0", "1e+300", "5e-324", "1e999"}) {
    const auto result = parse_query_texts(one_number(text), {"avg"});
    ASSERT_TRUE(result) << text;
    EXPECT_EQ(result->series.at(0).columns.at(0).second.at(0), text);
  }
  EXPECT_EQ(parse_query_texts(one_number("null"), {"avg"})->series[0].columns[0].second[0], std::nullopt);
  EXPECT_EQ(parse_query_texts(one_number("\"+Inf\""), {"avg"})->series[0].columns[0].second[0], "+Inf");
  for (const std::string text : {"\"a,b\"", "\"1\"", "\"0.5\"", "true", "[]", "{}"})
    EXPECT_FALSE(parse_query_texts(one_number(text), {"avg"})) << text;
}

TEST(QueryResult, ReadsTheSeriesOfAnExpression) {
  const auto result = parse_query_result(
      R"({"from":0,"until":20,"step":10,"tier":10,"series":[)"
      R"({"labels":{"__name__":"up","job":"a\"b"},"avg":[1,null],"max":[2,"NaN"]},)"
      R"({"labels":{"__name__":"cpu.idle","data.center":"fra"},"value":["+Inf","-Inf"]},)"
      R"({"labels":{},"value":[0,0]},{"labels":{"__name__":"up"},"value":[0,0]}],)"
      R"("infos":["means of 5 min stand for samples"],"warnings":["3 frames"],"cost":{"slots":4}})",
      {});
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->series.size(), 4U);
  EXPECT_EQ(result->series[0].name, "up{job=\"a\\\"b\"}");
  EXPECT_EQ(result->series[0].kind, "");
  EXPECT_EQ(result->series[0].columns[0].first, "avg");
  EXPECT_EQ(result->series[0].columns[0].second[1], std::nullopt);
  EXPECT_TRUE(std::isnan(*result->series[0].columns[1].second[1]));
  EXPECT_EQ(result->series[1].name, "{\"cpu.idle\", \"data.center\"=\"fra\"}");
  EXPECT_EQ(result->series[1].columns[0].second[1], -HUGE_VAL);
  EXPECT_EQ(result->series[2].name, "{}");
  EXPECT_EQ(result->series[3].name, "up");
  EXPECT_EQ(result->infos, std::vector<std::string>{"means of 5 min stand for samples"});
  EXPECT_EQ(result->warnings, std::vector<std::string>{"3 frames"});
}

TEST(QueryResult, RefusesLabelsThatAreNone) {
  for (const std::string labels : {"7", "[]", "null", R"({"a":1})"}) {
    EXPECT_FALSE(parse_query_result(
        R"({"from":0,"until":10,"step":10,"series":[{"labels":)" + labels + R"(,"value":[1]}]})", {}))
        << labels;
  }
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  boost::system::error_code error;
  const boost::json::value value =
      parse_json(" {\"a\\u00e9\":[null,true,false,-1,18446744073709551615,1.5,\"x\\n\",{},[]]} \n", error);
  ASSERT_FALSE(error);
  const boost::json::array& array = value.at("a\xc3\xa9").as_array();
  ASSERT_EQ(array.size(), 9U);
  EXPECT_TRUE(array[0].is_null());
  EXPECT_TRUE(array[1].as_bool());
  EXPECT_FALSE(array[2].as_bool());
  EXPECT_EQ(array[3].as_int64(), -1);
  EXPECT_EQ(array[4].as_uint64(), 18446744073709551615U);
  EXPECT_EQ(array[5].as_double(), 1.5);
  EXPECT_EQ(array[6].as_string(), "x\n");
  EXPECT_TRUE(array[7].as_object().empty());
  EXPECT_TRUE(array[8].as_array().empty());
}

TEST(ParseJson, RefusesWhatIsNotOneDocument) {
  for (const std::string& text : {std::string(), std::string("{"), std::string("[1] 2"), std::string("[1,]"),
                                  std::string("nul"), std::string("-"), std::string(33, '[')}) {
    boost::system::error_code error;
    EXPECT_TRUE(parse_json(text, error).is_null()) << text;
    EXPECT_TRUE(error) << text;
  }
}

TEST(JsonOutput, IsTheSameJsonWithoutWhatATerminalObeys) {
  EXPECT_EQ(json_output("{\"a\x7f\u009b\u00a0\":\t1}"), "{\"a\\u007f\\u009b\u00a0\": 1}\n");
  EXPECT_EQ(json_output("[\n1,\x1b[2J\r\n]\n"), "[\n1, [2J \n]\n");
  EXPECT_EQ(json_output(""), "\n");
}

}  // namespace
}  // namespace statmill

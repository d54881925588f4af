// What requests about counters ask, and what is refused in istatd's words.
#include "server/istatd/counter_query.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill::istatd {
namespace {

Result<CounterQuery> parsed(const std::string& parameters) {
  return parse_counter_query(*parse_url("/a?" + parameters));
}
std::string error_of(const std::string& parameters) {
  const auto query = parsed(parameters);
  return query ? "" : query.error().message;
}
std::string posted_error(const std::string& body) {
  const auto query = parse_counters_query(body);
  return query ? "" : query.error().message;
}

TEST(CounterQuery, OfOneCounterHasTimesAndAForm) {
  const auto query = parsed("start=10&end=20&samples=5&format=csv&trailing=1&unknown=x");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->range.start_s, 10);
  EXPECT_EQ(query->range.end_s, 20);
  EXPECT_EQ(query->range.samples, 5);
  EXPECT_TRUE(query->is_csv && query->is_trailing);
  const auto none = parsed("format=json");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->range.start_s == 0 && none->range.end_s == 0 && none->range.samples == 0);
  EXPECT_FALSE(none->is_csv || none->is_trailing);
}

TEST(CounterQuery, WrongParametersAreNamed) {
  EXPECT_EQ(error_of("start=abc"), "Bad integer argument start: abc");
  EXPECT_EQ(error_of("start=-1"), "Invalid start parameter");
  EXPECT_EQ(error_of("end=-1"), "Invalid end parameter");
  EXPECT_EQ(error_of("end=9999999999999"), "Invalid end parameter");
  EXPECT_EQ(error_of("end=99999999999999999999"), "Bad integer argument end: 99999999999999999999");
  EXPECT_EQ(error_of("start=20&end=10"), "end must be greater than start!");
  EXPECT_EQ(error_of("start=20&end=20"), "");
  EXPECT_EQ(error_of("samples=x"), "Bad integer argument samples: x");
  EXPECT_EQ(error_of("format=xml"), "unrecognized format: it is json or csv");
}

TEST(CounterQuery, OfSeveralCountersIsAnObject) {
  const auto query = parse_counters_query(
      R"({"start":10,"stop":20.7,"keys":["b","a","b"],"maxSamples":7,"trailing":1,"compact":true})");
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->range.start_s, 10);
  EXPECT_EQ(query->range.end_s, 20);
  EXPECT_EQ(query->range.samples, 7);
  EXPECT_EQ(query->keys, (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(query->is_trailing && query->is_compact);
  EXPECT_EQ(parse_counters_query(R"({"keys":[]})")->range.samples, 100);
  EXPECT_EQ(parse_counters_query(R"({"keys":[],"maxSamples":0})")->range.samples, 100);
  EXPECT_EQ(parse_counters_query(R"({"keys":[],"maxSamples":-1})")->range.samples, 0);
}

TEST(CounterQuery, WrongFieldsAreNamed) {
  EXPECT_EQ(posted_error("{}"), "Missing 'key' array of keys");
  EXPECT_EQ(posted_error(R"({"keys":"a"})"), "Missing 'key' array of keys");
  EXPECT_EQ(posted_error(R"({"keys":[1]})"), "'keys' has an element that is no string");
  EXPECT_EQ(posted_error(R"({"keys":[],"start":-1})"), "Invalid 'start' parameter");
  EXPECT_EQ(posted_error(R"({"keys":[],"stop":"x"})"), "Invalid 'stop' parameter");
  EXPECT_EQ(posted_error(R"({"keys":[],"start":20,"stop":10})"), "Start must be before stop");
  EXPECT_EQ(posted_error(R"({"keys":[],"maxSamples":[]})"), "Invalid 'maxSamples' parameter");
  EXPECT_NE(posted_error("[]"), "");
  EXPECT_NE(posted_error("{"), "");
  EXPECT_NE(posted_error(std::string(100, '[')), "");
  std::string many = R"({"keys":["a")";
  for (size_t i = 0; i < kCounterKeysMax; ++i) many += ",\"" + std::to_string(i) + "\"";
  EXPECT_EQ(parse_counters_query(many + "]}").error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace statmill::istatd

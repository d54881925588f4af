#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace statmill {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kDay = 86'400'000;  // ms

TEST(Text, ParsesDurations) {
  const std::vector<std::pair<std::string, int64_t>> table = {
      {"10s", 10'000},           {"5m", 300'000},      {"1h", 3'600'000}, {"10d", 10 * kDay},
      {"2w", 14 * kDay},         {"1y", 365 * kDay},   {"250ms", 250},    {"0s", 0},
      {"1y9d", 374 * kDay},      {"1h30m", 5'400'000}, {"1m1ms", 60'001}, {"30m1h", 5'400'000},
      {"1000y", 365'000 * kDay},
  };
  for (const auto& [text, ms] : table) {
    const Result<Duration> d = parse_duration(text);
    ASSERT_TRUE(d) << text;
    EXPECT_EQ(d->count(), ms) << text;
  }
}

TEST(Text, RefusesInvalidDurations) {
  for (const std::string_view text : {"",
                                      "10",
                                      "s",
                                      "-1s",
                                      "-0s",
                                      "+1s",
                                      "1.5h",
                                      "1 h",
                                      " 1h",
                                      "1h ",
                                      "10x",
                                      "1S",
                                      "1h5",
                                      "1h-5m",
                                      "1h-0m",
                                      "1001y",
                                      "9223372036854775807y",
                                      "9223372036854775808s",
                                      "1000y1ms",
                                      "1mss"}) {
    const Result<Duration> d = parse_duration(text);
    ASSERT_FALSE(d) << text;
    EXPECT_EQ(d.error().code, ErrorCode::kInvalid) << text;
    EXPECT_NE(d.error().message.find('"' + std::string(text) + '"'), std::string::npos) << d.error().message;
  }
}

TEST(Text, FormatsDurationsInTheLargestUnitThatDivides) {
  const std::vector<std::pair<int64_t, std::string>> table = {
      {0, "0ms"},   {1, "1ms"},        {90'000, "90s"},    {3'600'000, "1h"},   {36 * 3'600'000, "36h"},
      {kDay, "1d"}, {14 * kDay, "2w"}, {365 * kDay, "1y"}, {60'001, "60001ms"},
  };
  for (const auto& [ms, text] : table) EXPECT_EQ(format_duration(milliseconds(ms)), text);
}

RC_GTEST_PROP(Text, FormattedDurationsParseToTheSame, ()) {
  const auto count = *rc::gen::inRange<int64_t>(0, 1000);
  const auto unit = *rc::gen::element<int64_t>(1, 1000, 60'000, 3'600'000, kDay, 7 * kDay, 365 * kDay);
  const Duration d(count * unit);
  const Result<Duration> back = parse_duration(format_duration(d));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == d);
}

TEST(Text, ParsesSizes) {
  const std::vector<std::pair<std::string, uint64_t>> table = {{"0", 0},
                                                               {"1048576", 1048576},
                                                               {"512K", 512 << 10},
                                                               {"64M", 64 << 20},
                                                               {"2G", uint64_t{2} << 30},
                                                               {"1T", uint64_t{1} << 40},
                                                               {"18446744073709551615", UINT64_MAX},
                                                               {"16777215T", uint64_t{16777215} << 40}};
  for (const auto& [text, bytes] : table) {
    const Result<uint64_t> n = parse_bytes(text);
    ASSERT_TRUE(n) << text;
    EXPECT_EQ(*n, bytes) << text;
  }
  for (const std::string_view text :
       {"", "K", "-1", "+1", "1.5G", "64 M", "64m", "64MB", "64X", "18446744073709551616", "16777216T"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(Text, ParsesIntegersWithinBounds) {
  EXPECT_EQ(parse_integer("-5", -5, 5).value(), -5);
  EXPECT_EQ(parse_integer("5", -5, 5).value(), 5);
  EXPECT_EQ(parse_integer("-9223372036854775808", INT64_MIN, INT64_MAX).value(), INT64_MIN);
  for (const std::string_view text :
       {"", "6", "-6", "5 ", " 5", "5x", "0x5", "1e0", "+5", "99999999999999999999"}) {
    EXPECT_FALSE(parse_integer(text, -5, 5)) << text;
  }
  EXPECT_NE(parse_integer("6", -5, 5).error().message.find("-5..5"), std::string::npos);
}

std::string number_text(double value) {
  std::string out = "x";
  append_number(out, value);
  return out.substr(1);
}

TEST(Text, FormatsNumbersAsJson) {
  const std::vector<std::pair<double, std::string>> table = {
      {0, "0"},
      {-0.0, "0"},
      {1.5, "1.5"},
      {-123456789, "-123456789"},
      {9007199254740991, "9007199254740991"},
      {100000, "100000"},
      {1e17, "1e+17"},
      {0.1, "0.1"},
      {1e300, "1e+300"},
      {std::nan(""), "null"},
      {std::numeric_limits<double>::infinity(), "null"},
      {-std::numeric_limits<double>::infinity(), "null"},
  };
  for (const auto& [value, text] : table) EXPECT_EQ(number_text(value), text);
}

RC_GTEST_PROP(Text, FormattedNumbersParseToTheSameBits, ()) {
  const auto bits =
      *rc::gen::container<std::vector<uint64_t>>(100, rc::gen::resize(1000, rc::gen::arbitrary<uint64_t>()));
  for (const uint64_t b : bits) {
    const auto value = std::bit_cast<double>(b);
    if (!std::isfinite(value) || value == 0) continue;
    const std::string text = number_text(value);
    double back = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), back);
    RC_ASSERT(error == std::errc{});
    RC_ASSERT(end == text.data() + text.size());
    RC_ASSERT(std::bit_cast<uint64_t>(back) == b);
  }
}

std::string json_text(std::string_view text) {
  std::string out = "x";
  append_json_string(out, text);
  return out.substr(1);
}

TEST(Text, MeasuresUtf8Sequences) {
  const std::vector<std::pair<std::string_view, size_t>> table = {
      {"a\x80", 1},
      {"\xc2\x80", 2},
      {"\xe0\xa0\x80", 3},
      {"\xf0\x90\x80\x80", 4},
      {"\xf4\x8f\xbf\xbf", 4},
      {"\x80", 0},                  // a continuation byte
      {"\xc1\xbf", 0},              // overlong
      {"\xe0\x9f\xbf", 0},          // overlong
      {"\xf0\x8f\xbf\xbf", 0},      // overlong
      {"\xed\xa0\x80", 0},          // a surrogate
      {"\xf4\x90\x80\x80", 0},      // beyond U+10FFFF
      {"\xf8\x88\x80\x80\x80", 0},  // five bytes
      {"\xe2\x82", 0},              // truncated
      {"\xe2\x82z", 0},             // interrupted
  };
  for (const auto& [text, length] : table) EXPECT_EQ(utf8_length(text), length) << json_text(text);
}

TEST(Text, FormatsJsonStrings) {
  const std::string bad = "\xef\xbf\xbd";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "\"\""},
      {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
      {std::string("\0\n\x1f\x7f", 4), "\"\\u0000\\u000a\\u001f\\u007f\""},
      {"\xc2\x80\xc2\x9b\xc2\xa0", "\"\\u0080\\u009b\xc2\xa0\""},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
      {"\xff", '"' + bad + '"'},
      {"a\xc3", "\"a" + bad + '"'},
      {"\xc3(", '"' + bad + "(\""},
      {"\xc0\x80", '"' + bad + bad + '"'},
      {"\xe0\x80\x80", '"' + bad + bad + bad + '"'},
      {"\xed\xa0\x80", '"' + bad + bad + bad + '"'},
      {"\xf4\x90\x80\x80", '"' + bad + bad + bad + bad + '"'},
      {"\xf0\x9f\x98", '"' + bad + bad + bad + '"'},
      {"\x80", '"' + bad + '"'},
  };
  for (const auto& [text, json] : table) EXPECT_EQ(json_text(text), json) << text;
}

RC_GTEST_PROP(Text, AnyBytesBecomeValidJson, (const std::string& text)) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(json_text(text), error);
  RC_ASSERT(!error);
  const bool ascii = text.find_first_of('\0') == std::string::npos &&
                     std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  if (ascii) RC_ASSERT(value.as_string() == text);
}

TEST(Text, ParsesEndpoints) {
  struct Case {
    std::string text, host;
    uint16_t port;
  };
  for (const Case& c : {Case{"localhost:80", "localhost", 80},
                        {"127.0.0.1:0", "127.0.0.1", 0},
                        {"[::1]:8111", "::1", 8111},
                        {"h:65535", "h", 65535}}) {
    const Result<Endpoint> e = parse_endpoint(c.text);
    ASSERT_TRUE(e) << c.text;
    EXPECT_EQ(e->host, c.host);
    EXPECT_EQ(e->port, c.port);
    EXPECT_EQ(e->text(), c.text);
  }
  for (const std::string_view text :
       {"", "80", ":80", "localhost", "localhost:", "localhost:x", "localhost:65536", "localhost:-1",
        "::1:80", "[::1]", "[::1:80", "[]:80", "::1]:80", "h:80 "}) {
    EXPECT_FALSE(parse_endpoint(text)) << text;
  }
}

TEST(Text, AnEndpointWithoutAHostIsOff) { EXPECT_EQ(Endpoint{}.text(), "off"); }

TEST(Text, MakesAnyBytesVisible) {
  EXPECT_EQ(visible_text("cpu 1.5"), "cpu 1.5");
  EXPECT_EQ(visible_text("a\tb\\x41\x1b[2J\x7f\xc3\xa9"), "a\\x09b\\\\x41\\x1b[2J\\x7f\\xc3\\xa9");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "\\x00");
}

TEST(Text, SplitsAtEverySeparator) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("", ','), Parts{});
  EXPECT_EQ(split("a", ','), (Parts{"a"}));
  EXPECT_EQ(split("a,b", ','), (Parts{"a", "b"}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
  EXPECT_EQ(split(",a,,b,", ','), (Parts{"", "a", "", "b", ""}));
}

}  // namespace
}  // namespace statmill

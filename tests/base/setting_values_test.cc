#include "base/setting_values.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// Returns the error message, or "".
std::string fault(const SettingParser& parser, const std::string& text) {
  const Status status = parser(text);
  return status ? "" : status.error().message;
}

TEST(SettingValues, TextIsStoredUnchanged) {
  std::string out = "before";
  EXPECT_EQ(fault(text_setting(out), "any thing"), "");
  EXPECT_EQ(out, "any thing");
  EXPECT_EQ(fault(text_setting(out), ""), "");
  EXPECT_EQ(out, "");
}

TEST(SettingValues, FlagAcceptsTrueAndFalse) {
  bool out = false;
  EXPECT_EQ(fault(flag_setting(out), "true"), "");
  EXPECT_TRUE(out);
  EXPECT_EQ(fault(flag_setting(out), "yes"), "\"yes\" is neither true nor false");
  EXPECT_TRUE(out) << "an invalid text changes nothing";
  EXPECT_EQ(fault(flag_setting(out), "false"), "");
  EXPECT_FALSE(out);
}

TEST(SettingValues, EndpointIsParsed) {
  Endpoint out;
  EXPECT_EQ(fault(endpoint_setting(out), "[::1]:8111"), "");
  EXPECT_EQ(out.text(), "[::1]:8111");
  EXPECT_NE(fault(endpoint_setting(out), ""), "");
  EXPECT_EQ(out.text(), "[::1]:8111");
}

TEST(SettingValues, OptionalEndpointMayBeEmpty) {
  std::optional<Endpoint> out;
  EXPECT_EQ(fault(endpoint_setting(out), "127.0.0.1:1"), "");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->text(), "127.0.0.1:1");
  EXPECT_NE(fault(endpoint_setting(out), "127.0.0.1"), "");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->text(), "127.0.0.1:1");
  EXPECT_EQ(fault(endpoint_setting(out), ""), "");
  EXPECT_FALSE(out);
}

TEST(SettingValues, CountIsAnIntegerWithinBounds) {
  size_t out = 7;
  EXPECT_EQ(fault(count_setting(out, 1, 64), "64"), "");
  EXPECT_EQ(out, 64U);
  for (const char* text : {"0", "65", "-1", "1.0", "", "one", "1 "}) {
    EXPECT_NE(fault(count_setting(out, 1, 64), text), "") << text;
  }
  EXPECT_EQ(out, 64U);
}

TEST(SettingValues, BytesAreASizeWithinBounds) {
  size_t out = 7;
  EXPECT_EQ(fault(bytes_setting(out, 4096), "64M"), "");
  EXPECT_EQ(out, size_t{64} << 20);
  EXPECT_EQ(fault(bytes_setting(out, 4096), "4095"), "\"4095\" is below 4096");
  EXPECT_EQ(fault(bytes_setting(out, 1024, 2048), "4K"), "\"4K\" is over 2048");
  EXPECT_NE(fault(bytes_setting(out, 0), "many"), "");
  EXPECT_EQ(out, size_t{64} << 20);
}

TEST(SettingValues, DurationIsWithinBounds) {
  Duration out{7};
  EXPECT_EQ(fault(duration_setting(out, seconds(0), hours(1)), "0s"), "");
  EXPECT_EQ(out, seconds(0));
  EXPECT_EQ(fault(duration_setting(out, seconds(0), hours(1)), "1h"), "");
  EXPECT_EQ(out, hours(1));
  EXPECT_EQ(fault(duration_setting(out, seconds(1), hours(1)), "2h"), "\"2h\" is not in 1s..1h");
  EXPECT_EQ(fault(duration_setting(out, seconds(1), hours(1)), "10ms"), "\"10ms\" is not in 1s..1h");
  EXPECT_NE(fault(duration_setting(out, seconds(1), hours(1)), "soon"), "");
  EXPECT_EQ(out, hours(1));
}

}  // namespace
}  // namespace statmill

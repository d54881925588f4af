// Which row a series belongs to.
#include "server/query/row_key.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

std::string row_of(std::string_view key, std::string_view name) {
  const auto parsed = RowKey::parse(key);
  if (!parsed) return parsed.error().message;
  return parsed->row_of(name).value_or("-");
}

TEST(RowKey, IsTheValueOfATag) {
  EXPECT_EQ(row_of("tag:host", "cpu;host=web1"), "web1");
  EXPECT_EQ(row_of("tag:host", "cpu;dc=fra;host=web1;role=web"), "web1");
  EXPECT_EQ(row_of("tag:host", "cpu;hosts=web1;my_host=a"), "-");
  EXPECT_EQ(row_of("tag:host", "cpu"), "-");
  EXPECT_EQ(row_of("tag:host", "cpu;host=eth%200"), "eth 0");
  EXPECT_EQ(row_of("tag:na me", "cpu;na%20me=x"), "x");
}

TEST(RowKey, IsThePartWithTheStar) {
  EXPECT_EQ(row_of("shop.*", "shop.orders"), "orders");
  EXPECT_EQ(row_of("shop.*", "shop.orders.paid;dc=fra"), "orders");
  EXPECT_EQ(row_of("shop.*.paid", "shop.orders.paid"), "orders");
  EXPECT_EQ(row_of("shop.*.paid", "shop.orders"), "-");
  EXPECT_EQ(row_of("shop.*.paid", "shop.orders.open"), "-");
  EXPECT_EQ(row_of("shop.web*.x", "shop.web12.x"), "web12");
  EXPECT_EQ(row_of("shop.web*.x", "shop.web.x"), "-") << "the star is at least one byte";
  EXPECT_EQ(row_of("*", "shop.orders"), "shop");
  EXPECT_EQ(row_of("shop.*", "shopping.orders"), "-");
}

TEST(RowKey, RefusesWhatIsNeither) {
  for (const char* const text : {"", "tag:", "a.b", "a.*.*", "a..*", "a.[x]*", "host"})
    EXPECT_FALSE(RowKey::parse(text)) << text;
}

}  // namespace
}  // namespace statmill

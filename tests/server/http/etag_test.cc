#include "server/http/etag.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(Etag, IsFoundInLists) {
  for (const std::string_view list : {"\"a\"", "W/\"a\"", "*", "\"b\", \"a\"", "\"b\",W/\"a\"", " \t\"a\" ",
                                      "\"b,c\", \"a\"", ",,\"a\"", "\"a\", rest"}) {
    EXPECT_TRUE(is_in_etags(list, "\"a\"")) << list;
    EXPECT_TRUE(is_in_etags(list, "W/\"a\"")) << list;
  }
}

TEST(Etag, IsNotFoundInOtherLists) {
  for (const std::string_view list : {"", " ", ",", "a", "\"b\"", "\"a", "a\"", "\"b, \"a\"", "W/", "W/a",
                                      "\"A\"", "\"\"", "**", "rest, \"a\""})
    EXPECT_FALSE(is_in_etags(list, "\"a\"")) << list;
}

}  // namespace
}  // namespace statmill

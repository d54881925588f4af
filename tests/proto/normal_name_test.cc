#include "proto/normal_name.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

TEST(NormalName, IsStable) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = {'a', static_cast<char>(byte), 'b'};
    const std::string normal = normal_name(name);
    EXPECT_TRUE(is_normal_name(normal)) << byte;
    EXPECT_EQ(is_normal_name(name), name == normal) << byte;
  }
  EXPECT_TRUE(is_normal_name(""));
  EXPECT_EQ(normal_name("AZaz09.-_;=^~!"), "azaz09.-_;=^~!");
}

}  // namespace
}  // namespace statmill

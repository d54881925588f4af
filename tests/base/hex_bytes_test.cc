#include "base/hex_bytes.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(HexBytes, HaveTwoDigitsEach) {
  EXPECT_EQ(hex_of_bytes(std::string("\0\xab\x7f", 3)), "00ab7f");
  EXPECT_EQ(hex_of_bytes(""), "");
  EXPECT_EQ(bytes_of_hex("00aB7f"), std::string("\0\xab\x7f", 3));
  EXPECT_EQ(bytes_of_hex(""), "");
  for (const char* text : {"0", "000", "0g", "-1", "+1", " 1", "0x"})
    EXPECT_FALSE(bytes_of_hex(text)) << text;
}

}  // namespace
}  // namespace statmill

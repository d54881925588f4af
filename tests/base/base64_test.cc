#include "base/base64.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

// RFC 4648, section 10.
TEST(Base64, DecodesTheVectorsOfItsStandard) {
  EXPECT_EQ(base64_decoded(""), "");
  EXPECT_EQ(base64_decoded("Zg=="), "f");
  EXPECT_EQ(base64_decoded("Zm8="), "fo");
  EXPECT_EQ(base64_decoded("Zm9v"), "foo");
  EXPECT_EQ(base64_decoded("Zm9vYg=="), "foob");
  EXPECT_EQ(base64_decoded("Zm9vYmE="), "fooba");
  EXPECT_EQ(base64_decoded("Zm9vYmFy"), "foobar");
  EXPECT_EQ(base64_decoded("+/8A"), std::string("\xfb\xff\x00", 3)) << "each byte";
}

TEST(Base64, RefusesAnyOtherText) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg==Zg==", "Zm9-", "Zm 9", "=", "====", "Zm===", "Zh==", "Zm9="})
    EXPECT_FALSE(base64_decoded(text)) << text;
}

}  // namespace
}  // namespace statmill

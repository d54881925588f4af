#include "base/hidden_characters.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(HiddenCharacters, AreControlsOfShowingText) {
  for (const uint32_t c : {0x80U,    0x85U,    0x9fU,    0xadU,    0x61cU,   0x180eU, 0x200bU, 0x200dU,
                           0x200eU,  0x2028U,  0x202eU,  0x2060U,  0x2066U,  0x206fU, 0xfeffU, 0xfff9U,
                           0x110bdU, 0x1343fU, 0x1d173U, 0xe0001U, 0xe0020U, 0xe007fU})
    EXPECT_TRUE(is_hidden_character(c)) << std::hex << c;
  for (const uint32_t c :
       {0x20U, 0x41U, 0x7fU, 0xa0U, 0xacU, 0xaeU, 0x606U, 0x200aU, 0x2010U, 0x2027U, 0x202fU, 0x205fU,
        0x2070U, 0xfefeU, 0xff00U, 0xfffcU, 0x1f600U, 0xe0080U, 0x10ffffU})
    EXPECT_FALSE(is_hidden_character(c)) << std::hex << c;
}

TEST(HiddenCharacters, AreFoundInText) {
  EXPECT_FALSE(has_hidden_character(""));
  EXPECT_FALSE(has_hidden_character("a\tb \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"));
  EXPECT_TRUE(has_hidden_character("a\xc2\xad"));
  EXPECT_TRUE(has_hidden_character("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb")) << "inside an emoji";
  EXPECT_TRUE(has_hidden_character("\xff\xf3\xa0\x80\xa1")) << "a tag";
  EXPECT_FALSE(has_hidden_character("\xe2\x80")) << "half of one";
  EXPECT_FALSE(has_hidden_character("\x80\x85")) << "bytes that are not UTF-8";
}

}  // namespace
}  // namespace statmill

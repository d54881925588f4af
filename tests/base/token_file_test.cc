#include "base/token_file.h"

#include <gtest/gtest.h>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

TEST(TokenFile, FirstLineIsTheToken) {
  const TempDirectory temp;
  temp.write("token", "0123456789abcdef\nanother line\n");
  EXPECT_EQ(*read_token_file("a", temp.path() / "token"), "0123456789abcdef");
  temp.write("longest", std::string(512, 'x'));
  EXPECT_EQ(*read_token_file("a", temp.path() / "longest"), std::string(512, 'x'));
  EXPECT_EQ(*read_token_file("a", ""), "");
}

TEST(TokenFile, ReportsWhatIsWrong) {
  const TempDirectory temp;
  const auto fault = [&](const std::string& contents) {
    temp.write("token", contents);
    const auto token = read_token_file("some.setting", temp.path() / "token");
    EXPECT_EQ(token.error().code, ErrorCode::kInvalid);
    return token.error().message.substr(("some.setting " + (temp.path() / "token").string() + ": ").size());
  };
  EXPECT_EQ(fault(""), "cannot be read, or is empty");
  EXPECT_EQ(fault("0123456789abcde\n"), "the first line must have 16 to 512 bytes");
  EXPECT_EQ(fault(std::string(513, 'x')), "the first line must have 16 to 512 bytes");
  EXPECT_EQ(read_token_file("some.setting", "/no/such").error().message,
            "some.setting /no/such: cannot be read, or is empty");
}

}  // namespace
}  // namespace statmill

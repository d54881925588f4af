// Bodies that are compressed with gzip: whole, damaged, and larger than allowed.
#include "server/http/gunzip.h"

#include <gtest/gtest.h>

#include <string>

#include "server/http/content_coding.h"

namespace statmill {
namespace {

std::string gzipped(std::string_view text) { return make_encoder(ContentCoding::kGzip)->encode(text, true); }

TEST(Gunzip, DecodesWhatWasEncoded) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i * 7919 % 100'003) + ",";
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65535}, size_t{65536}, size_t{65537}, text.size()}) {
    const std::string part = text.substr(0, size);
    const auto decoded = gunzip(gzipped(part), 1 << 20);
    ASSERT_TRUE(decoded) << size << ": " << decoded.error().message;
    EXPECT_TRUE(*decoded == part) << size;
  }
}

TEST(Gunzip, DecodesSeveralMembers) {
  const auto decoded = gunzip(gzipped("one,") + gzipped("") + gzipped("two"), 100);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, "one,two");
}

TEST(Gunzip, RefusesWhatIsNoWholeGzip) {
  const std::string whole = gzipped("cpu usage=1\ncpu usage=2\n");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(gunzip(whole.substr(0, size), 1000)) << size << " of " << whole.size() << " bytes";
  EXPECT_FALSE(gunzip("cpu usage=1\n", 1000));
  EXPECT_FALSE(gunzip(whole + "x", 1000));
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  ASSERT_FALSE(gunzip(damaged, 1000));
  EXPECT_EQ(gunzip(damaged, 1000).error().code, ErrorCode::kInvalid);
}

TEST(Gunzip, StopsAtItsLimit) {
  EXPECT_TRUE(gunzip(gzipped(std::string(1000, 'a')), 1000));
  const auto over = gunzip(gzipped(std::string(1001, 'a')), 1000);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, ErrorCode::kLimit);
  const std::string bomb = gzipped(std::string(100'000'000, 'a'));
  ASSERT_LT(bomb.size(), 500'000u);
  EXPECT_FALSE(gunzip(bomb, 1'000'000));
}

}  // namespace
}  // namespace statmill

#include "base/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "base/text_map.h"
#include "tests/support/secrets.h"

namespace statmill {
namespace {

// Shards, and so journal rows on disk, depend on these values: XXH3-64, one for each length class.
TEST(Hash, HashesOfNamesNeverChange) {
  EXPECT_EQ(hash_name(""), 0x2d06800538d394c2u);
  EXPECT_EQ(hash_name("a"), 0xe6c632b61e964e1fu);
  EXPECT_EQ(hash_name("abc"), 0x78af5f94892f3950u);
  EXPECT_EQ(hash_name("host1.cpu"), 0x9cd5a0e8bae51715u);
  EXPECT_EQ(hash_name("istatd.statserver.commands.bad"), 0xbbe9747db4fb1e48u);
  EXPECT_EQ(hash_name(std::string(200, 'x')), 0x50ef124fb1e4de53u);
  EXPECT_EQ(hash_name(std::string(1024, 'x')), 0xfc56a7ce85b3164au);
}

TEST(Hash, HashesWithASecretNeverChange) {
  HashSecret secret;
  for (size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<uint8_t>(i);
  const KeyedHash hash(secret);
  EXPECT_EQ(hash(""), 0xc7299afa9d0c229bu);
  EXPECT_EQ(hash("abc"), 0xc2316825a070030du);
  EXPECT_EQ(hash("host1.cpu"), 0x0db4d1ddd2fdae55u);
  EXPECT_EQ(hash(std::string(30, 'x')), 0xf1cf4cf8a910d3d3u);
  EXPECT_EQ(hash(std::string(200, 'x')), 0x3713e70528759b22u);
  EXPECT_EQ(hash(std::string(1024, 'x')), 0x6980071536efe6c8u);
}

// Otherwise a sender could choose names that collide.
TEST(Hash, HashesDependOnTheSecret) {
  for (const size_t size : {size_t{1}, size_t{5}, size_t{12}, size_t{30}, size_t{200}, size_t{2048}}) {
    const std::string name(size, 'x');
    EXPECT_EQ(KeyedHash()(name), hash_name(name));
    std::set<uint64_t> upper;
    std::set<uint64_t> lower;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      const uint64_t hash = KeyedHash(secret_of(seed))(name);
      upper.insert(hash >> 56);
      lower.insert(hash & 255);
    }
    EXPECT_GT(upper.size(), 100U) << size;  // 139 are expected
    EXPECT_GT(lower.size(), 100U) << size;
  }
}

// Even with seed 0, the lower half differs from the 64-bit hash.
TEST(Hash, HashesDependOnTheSeed) {
  for (const std::string& name : {std::string(), std::string("host1.cpu"), std::string(1024, 'x')}) {
    EXPECT_EQ(hash_name(name, 7), hash_name(std::string(name), 7));
    EXPECT_NE(hash_name(name, 7).low, hash_name(name, 8).low);
    EXPECT_NE(hash_name(name, 7).high, hash_name(name, 8).high);
    EXPECT_NE(hash_name(name, 7).low, hash_name(name + "a", 7).low);
  }
}

// From RFC 3720 appendix B.4; the check value is from the CRC catalogue.
TEST(Hash, Crc32cMatchesTheStandardVectors) {
  std::string ascending;
  for (int i = 0; i < 32; ++i) ascending.push_back(static_cast<char>(i));
  const std::string descending(ascending.rbegin(), ascending.rend());
  for (const auto& crc_of : {crc32c, internal::crc32c_table}) {
    EXPECT_EQ(crc_of("", 0), 0u);
    EXPECT_EQ(crc_of("123456789", 0), 0xe3069283u);
    EXPECT_EQ(crc_of(std::string(32, '\0'), 0), 0x8a9136aau);
    EXPECT_EQ(crc_of(std::string(32, '\xff'), 0), 0x62a8ab43u);
    EXPECT_EQ(crc_of(ascending, 0), 0x46dd794eu);
    EXPECT_EQ(crc_of(descending, 0), 0x113fdb5cu);
  }
}

RC_GTEST_PROP(Hash, Crc32cImplementationsAgree, (const std::string& bytes, uint32_t start)) {
  RC_ASSERT(crc32c(bytes, start) == internal::crc32c_table(bytes, start));
}

TEST(Hash, Crc32cOfLongTextsIsThatOfTheTable) {
  std::string text;
  for (size_t i = 0; i < 6000; ++i) text.push_back(static_cast<char>(i * i / 7));
  for (const size_t size : {1535U, 1536U, 1537U, 3071U, 3072U, 3080U, 5000U}) {
    for (const size_t begin : {0U, 1U, 900U}) {
      const std::string_view part = std::string_view(text).substr(begin, size);
      EXPECT_EQ(crc32c(part, 0x12345678), internal::crc32c_table(part, 0x12345678)) << size << " bytes";
    }
  }
}

RC_GTEST_PROP(Hash, Crc32cOfPartsIsThatOfTheWhole, (const std::string& a, const std::string& b)) {
  RC_ASSERT(crc32c(b, crc32c(a)) == crc32c(a + b));
}

TEST(ProcessHash, IsOneFunctionWithASecret) {
  EXPECT_EQ(TextHash()("a"), TextHash()(std::string("a")));
  EXPECT_EQ(process_hash()("a"), TextHash()("a"));
  EXPECT_NE(process_hash()("a"), hash_name("a"));
  EXPECT_NE(KeyedHash(random_secret())("a"), KeyedHash(random_secret())("a"));
}

}  // namespace
}  // namespace statmill

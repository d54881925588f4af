// The bytes of a spool's files: golden bytes, round trips, and every truncation and bit flip of data
// with a checksum.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "agent/spool/identity.h"
#include "agent/spool/segment.h"
#include "base/hash.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

AgentId some_id() {
  AgentId id;
  for (size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<uint8_t>(i * 17);
  return id;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
    out.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
  }
  return out;
}

const SegmentHeader kHeader{
    .id = some_id(), .epoch = 7, .before = {300, 70'000}, .previous_end = {299, 69'000}};
SpoolIdentity some_identity() {
  return {.id = some_id(),
          .secret = {some_id().bytes},
          .epoch = 7,
          .location = {.directory = "fedcba98765432100123456789abcdef",
                       .product = "00000000000000000000000000000001",
                       .addresses = {"00000000000000000000000000000002", "00000000000000000000000000000003"},
                       .host = "00000000000000000000000000000004"},
          .has_begun = true,
          .lost = {12, GapReason::kCloned},
          .acknowledged = {300, 70'000}};
}

TEST(SpoolFormat, IdentityHasTheseBytes) {
  EXPECT_EQ(encode_identity(some_identity()),
            "statmill spool 2\n"
            "id 00112233445566778899aabbccddeeff\n"
            "secret 00112233445566778899aabbccddeeff\n"
            "epoch 7\n"
            "location fedcba98765432100123456789abcdef\n"
            "product 00000000000000000000000000000001\n"
            "addresses 00000000000000000000000000000002 00000000000000000000000000000003\n"
            "host 00000000000000000000000000000004\n"
            "begun yes\n"
            "lost 12 cloned\n"
            "acknowledged 300 70000\n"
            "crc a9e78008\n");
  const SpoolIdentity unknown{.id = some_id(), .location = {.directory = "p"}};
  EXPECT_EQ(encode_identity(unknown),
            "statmill spool 2\n"
            "id 00112233445566778899aabbccddeeff\n"
            "secret 00000000000000000000000000000000\n"
            "epoch 1\n"
            "location p\n"
            "product -\n"
            "addresses -\n"
            "host -\n"
            "begun no\n"
            "lost 0 copied\n"
            "acknowledged 0 0\n"
            "crc b9dff1d1\n");
}

TEST(SpoolFormat, SegmentHeaderHasTheseBytes) {
  EXPECT_EQ(hex(encode_segment_header(kHeader)),
            "736d73706f6f6c0a"                  // "smspool\n"
            "02"                                // version
            "00112233445566778899aabbccddeeff"  // agent id
            "00000007"                          // epoch
            "000000000000012c"                  // 300 batches before
            "0000000000011170"                  // with 70,000 lines
            "000000000000012b"                  // previous end: 299
            "0000000000010d88"                  // 69,000
            "bb3e52c4");
}

TEST(SpoolFormat, ASegmentIsAHeaderFollowedByFrames) {
  FaultySpoolDirectory directory(1);
  const auto spool = open_spool(directory);
  spool->append({"a 1 2\n", 1}, at_second(0));
  ASSERT_TRUE(spool->sync());
  std::string frame;
  append_frame(frame,
               BatchFrame{.seq = 1, .lines_before = 0, .lines = 1, .time = at_second(0), .text = "a 1 2\n"});
  const SegmentHeader header{.id = spool->id(), .epoch = 1, .before = {}, .previous_end = {}};
  EXPECT_EQ(hex(directory.contents(segment_name(1))), hex(encode_segment_header(header) + frame));
}

TEST(SpoolFormat, SegmentNamesSortLikeTheirNumbers) {
  EXPECT_EQ(segment_name(1), "00000000000000000001.spool");
  EXPECT_EQ(parse_segment_name("00000000000000000301.spool"), 301U);
  EXPECT_EQ(parse_segment_name(segment_name(~uint64_t{0})), ~uint64_t{0});
  for (const char* name :
       {"identity", "lock", "1.spool", "00000000000000000301.spool.new", "0000000000000000030x.spool",
        "-0000000000000000301.spool", "00000000000000000000.spool", "99999999999999999999.spool"}) {
    EXPECT_EQ(parse_segment_name(name), std::nullopt) << name;
  }
}

RC_GTEST_PROP(SpoolFormat, HeadersAndIdentitiesRoundTrip, (uint32_t epoch, uint64_t seq, uint64_t lines)) {
  SegmentHeader header = kHeader;
  header.epoch = epoch;
  header.before = {seq % kSeqMax, lines % kSeqMax};
  header.previous_end = {lines, seq};
  const auto decoded = decode_segment_header(encode_segment_header(header));
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(*decoded == header);
  SpoolIdentity identity = some_identity();
  identity.epoch = epoch % 1'000'000 + 1;
  identity.location.directory = fact_hash(std::to_string(seq));
  identity.location.addresses.resize(seq % 3);
  if (seq % 5 == 0) identity.location.host.clear();
  identity.has_begun = lines % 2 == 0;
  identity.lost.lines = lines % kSeqMax;
  identity.acknowledged = header.before;
  const auto read = decode_identity(encode_identity(identity));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == identity);
}

TEST(SpoolFormat, EveryTruncationAndFlippedBitIsDetected) {
  const std::string header = encode_segment_header(kHeader);
  const std::string identity = encode_identity(some_identity());
  for (size_t size = 0; size < header.size(); ++size)
    EXPECT_FALSE(decode_segment_header(header.substr(0, size)));
  for (size_t size = 0; size < identity.size(); ++size)
    EXPECT_FALSE(decode_identity(identity.substr(0, size)));
  for (size_t bit = 0; bit < 8 * header.size(); ++bit) {
    std::string damaged = header;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(decode_segment_header(damaged).error().code, ErrorCode::kCorrupt) << bit;
  }
  for (size_t bit = 0; bit < 8 * identity.size(); ++bit) {
    std::string damaged = identity;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(decode_identity(damaged).error().code, ErrorCode::kCorrupt) << bit;
  }
}

TEST(SpoolFormat, AnIdentityOfALaterVersionIsNotReportedAsDamaged) {
  std::string text = "statmill spool 3\nanything\n";
  char line[16];
  std::snprintf(line, sizeof(line), "crc %08x\n", static_cast<unsigned>(crc32c(text)));
  EXPECT_EQ(decode_identity(text + line).error().code, ErrorCode::kVersion);
}

// Its series have other names, so its batches must not be mixed with those of this version.
TEST(SpoolFormat, AnIdentityOfAnEarlierVersionIsRefusedWithAnAdvice) {
  std::string text = "statmill spool 1\nanything\n";
  char line[16];
  std::snprintf(line, sizeof(line), "crc %08x\n", static_cast<unsigned>(crc32c(text)));
  const auto identity = decode_identity(text + line);
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().code, ErrorCode::kVersion);
  EXPECT_EQ(
      identity.error().message,
      "the spool has version 1, this program reads 2; send its batches with the program that wrote them, or "
      "remove the spool, which loses them");
}

}  // namespace
}  // namespace statmill

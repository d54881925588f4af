// Frames of the agent stream: golden bytes, round trips, every truncation and every flipped bit.
#include "proto/agent/frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace statmill {
namespace {

using State = FrameRead::State;

AgentId some_id() {
  AgentId id;
  for (size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<uint8_t>(i * 17);
  return id;
}

template <class Frame>
std::string frame_bytes(const Frame& frame) {
  std::string out;
  append_frame(out, frame);
  return out;
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

AgentSecret some_secret() {
  AgentSecret secret;
  for (size_t i = 0; i < secret.bytes.size(); ++i) secret.bytes[i] = static_cast<uint8_t>(0xf0 + i);
  return secret;
}

HelloFrame some_hello() {
  return {.is_ephemeral = true,
          .id = some_id(),
          .secret = some_secret(),
          .acknowledged = {7, 3, 42, Timestamp(Duration(1'700'000'000'123))},
          .clock = Timestamp(Duration(1'700'000'000'456)),
          .host = "web1",
          .agent_version = "0.1.0",
          .token = "secret",
          .kernel = "6.1.0-18-amd64",
          .boot_id = "9f1c",
          .uptime = std::chrono::hours(1)};
}

StatusFrame some_status() {
  return {.clock = Timestamp(Duration(1'700'000'000'123)),
          .spool_bytes = 4096,
          .lines_dropped = 5,
          .collectors = {{"cpu", 0, "", kSourceFiles}, {"pmu", 2, "no PMU"}}};
}

TEST(AgentFrames, HaveGoldenBytes) {
  const Timestamp time(Duration(1'700'000'000'123));
  EXPECT_EQ(
      hex(frame_bytes(some_hello())),
      "00000076257465730103010000112233445566778899aabbccddeefff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00000007000000"
      "0000000003000000000000002a0000018bcfe5687b0000018bcfe569c8047765623105302e312e30067365637265740e362e31"
      "2e302d31382d616d6436340439663163000000000036ee80");
  EXPECT_EQ(hex(frame_bytes(BatchFrame{3, 40, 2, time, "dc=eu", "a 1 1\nb 1 2\n"})),
            "0000002f55aa017c0200000000000000030000000000000028000000020000018bcfe5687b0564633d65756120312031"
            "0a62203120320a");
  EXPECT_EQ(hex(frame_bytes(GapFrame{4, 9, 100, GapReason::kForgotten, time})),
            "000000220c4c8d8003000000000000000400000000000000090000000000000064020000018bcfe5687b");
  EXPECT_EQ(hex(frame_bytes(some_status())),
            "0000002e5b6a6cb7040000018bcfe5687b000000000000100000000000000000050203637075000003706d7502066e6f"
            "20504d550100");
  EXPECT_EQ(hex(frame_bytes(WelcomeFrame{2, {7, 3, 42, time}, 9, time, AgentRun{5, 60, {7, 9, 100, time}}})),
            "0000005722ac4c9b8102000000070000000000000003000000000000002a0000018bcfe5687b00000000000000090000"
            "018bcfe5687b010000000000000005000000000000003c000000000000000900000000000000640000018bcfe5687b");
  EXPECT_EQ(hex(frame_bytes(WelcomeFrame{.version = 2,
                                         .position = {7, 3, 42, time},
                                         .lines_refused = 9,
                                         .clock = time,
                                         .accepts_ahead = false})),
            "0000002e5c818def8102000000070000000000000003000000000000002a0000018bcfe5687b00000000000000090000"
            "018bcfe5687b");
  EXPECT_EQ(hex(frame_bytes(AckFrame{3, 1, 9})),
            "00000019705ea09882000000000000000300000000000000010000000000000009");
  EXPECT_EQ(hex(frame_bytes(RefuseFrame{RefuseReason::kFenced, "no"})), "000000051c3c68a98304026e6f");
}

TEST(AgentFrames, DecodeToTheSameFrames) {
  const std::string bytes = frame_bytes(some_hello());
  const std::string more = bytes + "more";
  const FrameRead read = read_frame(more);
  ASSERT_EQ(read.state, State::kWhole);
  EXPECT_EQ(read.type, FrameType::kHello);
  EXPECT_EQ(read.bytes, bytes.size());
  const auto hello = decode_hello(read.payload);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->id, some_id());
  EXPECT_EQ(hello->secret, some_secret());
  EXPECT_EQ(hello->acknowledged, some_hello().acknowledged);
  EXPECT_EQ(hello->clock, some_hello().clock);
  EXPECT_TRUE(hello->is_ephemeral);
  EXPECT_EQ(hello->host, "web1");
  EXPECT_EQ(hello->agent_version, "0.1.0");
  EXPECT_EQ(hello->token, "secret");
  EXPECT_EQ(hello->kernel, "6.1.0-18-amd64");
  EXPECT_EQ(hello->boot_id, "9f1c");
  EXPECT_EQ(hello->uptime, std::chrono::hours(1));
}

// Agents of this version once ended their hello with the token, and their status with the last reason.
TEST(AgentFrames, FramesWithoutTheLaterFieldsAreRead) {
  const std::string hello_bytes = frame_bytes(some_hello());
  std::string_view hello_payload = read_frame(hello_bytes).payload;
  hello_payload.remove_suffix(1 + some_hello().kernel.size() + 1 + some_hello().boot_id.size() + 8);
  const auto hello = decode_hello(hello_payload);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->token, "secret");
  EXPECT_EQ(hello->kernel, "");
  EXPECT_EQ(hello->boot_id, "");
  EXPECT_EQ(hello->uptime, Duration(0));

  const std::string status_bytes = frame_bytes(some_status());
  std::string_view status_payload = read_frame(status_bytes).payload;
  status_payload.remove_suffix(2);
  const auto status = decode_status(status_payload);
  ASSERT_TRUE(status);
  ASSERT_EQ(status->collectors.size(), 2U);
  EXPECT_EQ(status->collectors[0].sources, kSourcesNotKnown);
  EXPECT_FALSE(decode_status(read_frame(status_bytes).payload.substr(0, status_payload.size() + 1)));

  const std::string welcome_bytes = frame_bytes(WelcomeFrame{.position = {7, 3, 42}});
  const std::string_view welcome_payload = read_frame(welcome_bytes).payload;
  EXPECT_TRUE(decode_welcome(welcome_payload)->accepts_ahead);
  const auto early = decode_welcome(welcome_payload.substr(0, welcome_payload.size() - 1));
  ASSERT_TRUE(early);
  EXPECT_FALSE(early->accepts_ahead);
  EXPECT_EQ(early->position, (AgentPosition{7, 3, 42}));
  EXPECT_EQ(frame_bytes(*early).size() + 1, welcome_bytes.size());

  const std::string ack_bytes = frame_bytes(AckFrame{3, 1, 9});
  EXPECT_EQ(*decode_ack(read_frame(ack_bytes).payload.substr(0, 16)), (AckFrame{3, 1, 0}));
}

TEST(AgentFrames, AnUptimeHasALimit) {
  HelloFrame frame = some_hello();
  frame.uptime = kUptimeMax + std::chrono::hours(1);
  std::string bytes = frame_bytes(frame);
  std::string payload(read_frame(bytes).payload);
  EXPECT_EQ(decode_hello(payload)->uptime, kUptimeMax);
  payload[payload.size() - 8] = '\x7f';
  EXPECT_FALSE(decode_hello(payload));
}

TEST(AgentFrames, AStatusDecodesToTheSameStatus) {
  const std::string bytes = frame_bytes(some_status());
  const auto status = decode_status(read_frame(bytes).payload);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->clock, some_status().clock);
  EXPECT_EQ(status->spool_bytes, 4096U);
  EXPECT_EQ(status->lines_dropped, 5U);
  EXPECT_EQ(status->collectors, some_status().collectors);
}

TEST(AgentFrames, AStatusHasALimitOfCollectors) {
  StatusFrame status;
  status.collectors.assign(kCollectorsMax + 1, {"cpu", 0, ""});
  const std::string bytes = frame_bytes(status);
  const auto decoded = decode_status(read_frame(bytes).payload);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->collectors.size(), kCollectorsMax);
  EXPECT_FALSE(decode_status(std::string(24, '\0') + '\x41' + std::string(300, '\0')));
}

TEST(AgentFrames, AHelloOfTheVersionWithTheOldNamesSaysWhoMustBeUpgraded) {
  HelloFrame old = some_hello();
  old.version = kAgentProtocolRenamed;
  const std::string bytes = frame_bytes(old);
  const auto hello = decode_hello(read_frame(bytes).payload);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->version, kAgentProtocolRenamed);
  EXPECT_EQ(hello->host, "web1");
}

TEST(AgentFrames, AHelloOfAnotherVersionHasOnlyTheVersion) {
  const auto hello = decode_hello("\x01 fields of that version");
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->version, 1);
  EXPECT_EQ(hello->id, AgentId{});
}

RC_GTEST_PROP(AgentFrames, AnyBatchDecodesToTheSameBatch, (const std::string& text, uint64_t before)) {
  const BatchFrame frame{*rc::gen::nonZero<uint64_t>(),
                         before,
                         *rc::gen::arbitrary<uint32_t>(),
                         Timestamp(Duration(*rc::gen::arbitrary<int64_t>())),
                         "dc=eu",
                         text};
  const std::string bytes = frame_bytes(frame);
  const FrameRead read = read_frame(bytes);
  RC_ASSERT(read.state == State::kWhole);
  const auto batch = decode_batch(read.payload);
  RC_ASSERT(batch.has_value());
  RC_ASSERT(batch->seq == frame.seq);
  RC_ASSERT(batch->lines_before == frame.lines_before);
  RC_ASSERT(batch->lines == frame.lines);
  RC_ASSERT(batch->time == frame.time);
  RC_ASSERT(batch->tags == "dc=eu");
  RC_ASSERT(batch->text == text);
}

TEST(AgentFrames, ARunDecodesToTheSameRun) {
  const WelcomeFrame frame{.position = {7, 3, 42},
                           .ahead = AgentRun{5, 60, {7, 9, 100, Timestamp(Duration(5))}}};
  const std::string bytes = frame_bytes(frame);
  EXPECT_EQ(decode_welcome(read_frame(bytes).payload)->ahead, frame.ahead);
  const std::string ack = frame_bytes(AckFrame{3, 1, 9});
  EXPECT_EQ(*decode_ack(read_frame(ack).payload), (AckFrame{3, 1, 9}));
}

RC_GTEST_PROP(AgentFrames, AnyPositionDecodesToTheSamePosition,
              (uint32_t epoch, uint64_t seq, uint64_t lines, int64_t ms)) {
  const AgentPosition position{epoch, seq, lines, Timestamp(Duration(ms))};
  const std::string bytes = frame_bytes(WelcomeFrame{.position = position, .lines_refused = seq});
  const auto welcome = decode_welcome(read_frame(bytes).payload);
  RC_ASSERT(welcome.has_value());
  RC_ASSERT(welcome->position == position);
  RC_ASSERT(welcome->lines_refused == seq);
}

TEST(AgentFrames, AnyTruncationIsIncomplete) {
  const std::string bytes = frame_bytes(some_hello());
  for (size_t n = 0; n < bytes.size(); ++n) {
    const FrameRead read = read_frame(std::string_view(bytes).substr(0, n));
    EXPECT_EQ(read.state, State::kIncomplete) << n;
    EXPECT_GT(read.bytes, n);
  }
}

TEST(AgentFrames, AFlippedBitIsAlwaysFound) {
  const std::string bytes = frame_bytes(BatchFrame{3, 40, 2, Timestamp(Duration(5)), {}, "a 1 1\n"});
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(read_frame(damaged).state, State::kWhole) << bit;
  }
}

TEST(AgentFrames, AFrameOverTheLimitIsDamagedFromItsLength) {
  EXPECT_EQ(read_frame(std::string_view("\xff\xff\xff\xff", 4)).state, State::kDamaged);
  EXPECT_EQ(read_frame(std::string_view("\0\0\0\0", 4)).state, State::kDamaged);
  const std::string text(kBatchTextBytesMax, 'x');
  EXPECT_EQ(read_frame(frame_bytes(BatchFrame{1, 0, 1, {}, {}, text})).state, State::kWhole);
}

TEST(AgentFrames, TheLongestHelloFitsItsLimit) {
  const std::string text(1000, 'x');
  HelloFrame hello = some_hello();
  hello.host = hello.agent_version = hello.token = hello.kernel = hello.boot_id = text;
  hello.hops = kHopsMax;
  const std::string bytes = frame_bytes(hello);
  EXPECT_EQ(bytes.size(), kFrameHeaderBytes - 1 + 1113) << "as the comment of kHelloBytesMax says";
  const FrameRead read = read_frame(bytes, kHelloBytesMax);
  ASSERT_EQ(read.state, State::kWhole);
  EXPECT_EQ(decode_hello(read.payload)->token.size(), kTokenBytesMax);
}

TEST(AgentFrames, ALowerLimitAppliesFromTheLength) {
  EXPECT_EQ(read_frame(std::string_view("\0\0\x04\xb0", 4), kHelloBytesMax).state, State::kIncomplete);
  EXPECT_EQ(read_frame(std::string_view("\0\0\x04\xb1", 4), kHelloBytesMax).state, State::kDamaged);
}

TEST(AgentFrames, RefusesFieldsOutOfRange) {
  const auto payload = [](const std::string& bytes) { return bytes.substr(kFrameHeaderBytes); };
  EXPECT_FALSE(decode_batch(payload(frame_bytes(BatchFrame{.seq = 0}))));
  EXPECT_TRUE(decode_gap(payload(frame_bytes(GapFrame{.first = 1, .seq = 1}))));
  EXPECT_FALSE(decode_gap(payload(frame_bytes(GapFrame{.first = 0, .seq = 1}))));
  EXPECT_FALSE(decode_gap(payload(frame_bytes(GapFrame{.first = 3, .seq = 2}))));
  std::string unused = payload(frame_bytes(some_hello()));
  EXPECT_TRUE(decode_hello(unused));
  unused[2] = 1;
  EXPECT_FALSE(decode_hello(unused));
  HelloFrame hello = some_hello();
  hello.acknowledged.epoch = 0;
  EXPECT_FALSE(decode_hello(payload(frame_bytes(hello))));
  EXPECT_FALSE(decode_hello("\x02short"));
  EXPECT_FALSE(decode_hello(""));
  EXPECT_FALSE(decode_status("short"));
  EXPECT_FALSE(decode_ack(""));
  EXPECT_FALSE(decode_welcome("\x01"));
  EXPECT_FALSE(decode_refuse("\x01\x05no"));
}

TEST(AgentFrames, RefusesARunThatIsNotAfterThePosition) {
  const auto is_read = [](uint64_t after, uint64_t lines_before, uint64_t seq, uint64_t lines) {
    const std::string bytes = frame_bytes(
        WelcomeFrame{.position = {7, 3, 42}, .ahead = AgentRun{after, lines_before, {7, seq, lines}}});
    return decode_welcome(bytes.substr(kFrameHeaderBytes)).has_value();
  };
  EXPECT_TRUE(is_read(4, 42, 4, 42)) << "still empty";
  EXPECT_TRUE(is_read(4, 43, 9, 50));
  EXPECT_FALSE(is_read(3, 42, 9, 50));
  EXPECT_FALSE(is_read(4, 41, 9, 50));
  EXPECT_FALSE(is_read(4, 43, 3, 50));
  EXPECT_FALSE(is_read(4, 43, 9, 42));
}

TEST(AgentFrames, IgnoresFieldsOfALaterVersion) {
  const std::string bytes = frame_bytes(AckFrame{3, 1});
  const std::string longer = bytes.substr(kFrameHeaderBytes) + "more";
  ASSERT_TRUE(decode_ack(longer));
  EXPECT_EQ(decode_ack(longer)->seq, 3U);
}

TEST(AgentIdTest, TextParsesToTheSameId) {
  EXPECT_EQ(some_id().text(), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(AgentId::parse(some_id().text()), some_id());
  EXPECT_FALSE(AgentId::parse("00112233445566778899aabbccddeef"));
  EXPECT_FALSE(AgentId::parse("00112233445566778899aabbccddeefg"));
}

}  // namespace
}  // namespace statmill

#include "tests/sim/stranger.h"

#include <limits>
#include <optional>

#include "proto/agent/frames.h"
#include "tests/sim/ledger.h"

namespace statmill::sim {
namespace {

constexpr uint32_t kEpochMax = std::numeric_limits<uint32_t>::max();

HelloFrame hello_of_nobody(Chance& chance, Timestamp now) {
  HelloFrame hello{.acknowledged = {.epoch = 1}, .clock = now, .host = kStrangersHost};
  hello.id.bytes.fill(static_cast<uint8_t>(chance.bits()));
  hello.secret.bytes[0] = static_cast<uint8_t>(chance.bits());
  return hello;
}

// It knows the id only: none of what it says may be heard.
std::string words_of_thief(Chance& chance, HelloFrame hello, Timestamp now) {
  hello.secret.bytes.fill(static_cast<uint8_t>(chance.bits() | 1));
  if (chance.one_in(2)) hello.acknowledged.epoch = kEpochMax;
  std::string words;
  append_frame(words, hello);
  const uint64_t end = chance.between(1, 1000);
  append_frame(words, GapFrame{1, end, end, GapReason::kSpoolFull, now});
  append_frame(words, BatchFrame{.seq = end + 1, .lines_before = end, .time = now});
  return words;
}

// It has the disk of the agent, too, and says hello.
std::string words_of_burglar(HelloFrame hello) {
  hello.acknowledged.epoch = kEpochMax;
  std::string words;
  append_frame(words, hello);
  return words;
}

// It takes a place.
std::string words_of_nobody(Chance& chance, Timestamp now) {
  std::string words;
  append_frame(words, hello_of_nobody(chance, now));
  if (chance.one_in(4)) return words;
  append_frame(words, BatchFrame{.seq = 1, .time = now});
  return words;
}

}  // namespace

std::string words_of_stranger(Chance& chance, std::string_view overheard, Timestamp now) {
  const FrameRead frame = read_frame(overheard);
  const bool is_hello = frame.state == FrameRead::State::kWhole && frame.type == FrameType::kHello;
  std::optional<HelloFrame> hello = is_hello ? decode_hello(frame.payload) : std::nullopt;
  if (!hello || chance.one_in(2)) return words_of_nobody(chance, now);
  hello->clock = now;
  return chance.one_in(4) ? words_of_burglar(*hello) : words_of_thief(chance, *hello, now);
}

}  // namespace statmill::sim

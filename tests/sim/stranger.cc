#include "tests/sim/stranger.h"

#include <limits>
#include <optional>

#include "proto/agent/frames.h"
#include "tests/sim/ledger.h"

namespace statmill::sim {
namespace {

constexpr uint32_t kEpochMax = std::numeric_limits<uint32_t>::max();

HelloFrame unknown_agent_hello(Chance& chance, Timestamp now) {
  HelloFrame hello{.acknowledged = {.epoch = 1}, .clock = now, .host = kStrangersHost};
  hello.id.bytes.fill(static_cast<uint8_t>(chance.bits()));
  hello.secret.bytes[0] = static_cast<uint8_t>(chance.bits());
  return hello;
}

// Knows only the id: the server must ignore everything that it sends.
std::string wrong_secret_bytes(Chance& chance, HelloFrame hello, Timestamp now) {
  hello.secret.bytes.fill(static_cast<uint8_t>(chance.bits() | 1));
  if (chance.one_in(2)) hello.acknowledged.epoch = kEpochMax;
  std::string words;
  append_frame(words, hello);
  const uint64_t end = chance.between(1, 1000);
  append_frame(words, GapFrame{1, end, end, GapReason::kSpoolFull, now});
  append_frame(words, BatchFrame{.seq = end + 1, .lines_before = end, .time = now});
  return words;
}

// Has the agent's disk, and so its secret, and sends a hello.
std::string stolen_secret_bytes(HelloFrame hello) {
  hello.acknowledged.epoch = kEpochMax;
  std::string words;
  append_frame(words, hello);
  return words;
}

// Registers a new agent, which uses up room.
std::string unknown_agent_bytes(Chance& chance, Timestamp now) {
  std::string words;
  append_frame(words, unknown_agent_hello(chance, now));
  if (chance.one_in(4)) return words;
  append_frame(words, BatchFrame{.seq = 1, .time = now});
  return words;
}

}  // namespace

std::string stranger_bytes(Chance& chance, std::string_view overheard, Timestamp now) {
  const FrameRead frame = read_frame(overheard);
  const bool is_hello = frame.state == FrameRead::State::kWhole && frame.type == FrameType::kHello;
  std::optional<HelloFrame> hello = is_hello ? decode_hello(frame.payload) : std::nullopt;
  if (!hello || chance.one_in(2)) return unknown_agent_bytes(chance, now);
  hello->clock = now;
  return chance.one_in(4) ? stolen_secret_bytes(*hello) : wrong_secret_bytes(chance, *hello, now);
}

}  // namespace statmill::sim

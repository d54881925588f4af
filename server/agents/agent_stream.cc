// See agent_stream.h.
#include "server/agents/agent_stream.h"

#include <algorithm>

namespace statmill {
namespace {

// Takes the same time wherever they differ, so that nobody finds the token byte by byte.
bool is_same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

AgentStream::~AgentStream() { leave(); }

void AgentStream::leave() {
  if (hold_) services_.book.close(*hold_);
  hold_.reset();
  is_over_ = true;
}

std::string AgentStream::take_output() {
  if (std::exchange(owes_ack_, false)) append_frame(output_, AckFrame{durable_, 0});
  return std::exchange(output_, {});
}

size_t AgentStream::receive(std::string_view bytes, Timestamp now) {
  size_t taken = 0;
  waits_for_room_ = false;
  while (!is_over_) {
    const FrameRead frame = read_frame(bytes.substr(taken));
    if (frame.state == FrameRead::State::kIncomplete) break;
    if (frame.state == FrameRead::State::kDamaged) {
      refuse(RefuseReason::kProtocol, "a damaged frame");
      break;
    }
    if (frame.type == FrameType::kBatch && !services_.intake.has_room()) {
      waits_for_room_ = true;
      break;
    }
    take(frame, now);
    taken += frame.bytes;
  }
  return is_over_ ? bytes.size() : taken;
}

void AgentStream::take(const FrameRead& frame, Timestamp now) {
  if (!hold_) {
    const auto hello = frame.type == FrameType::kHello ? decode_hello(frame.payload) : std::nullopt;
    if (!hello) return refuse(RefuseReason::kProtocol, "no hello");
    return take_hello(*hello, now);
  }
  if (frame.type == FrameType::kBatch) {
    const auto batch = decode_batch(frame.payload);
    if (!batch) return refuse(RefuseReason::kProtocol, "an impossible batch");
    return answer(services_.book.take(*hold_, *batch, now, [&](const auto& mark) {
      services_.intake.take(batch->text, sender_, now, mark);
    }));
  }
  if (frame.type == FrameType::kGap) {
    const auto gap = decode_gap(frame.payload);
    if (!gap) return refuse(RefuseReason::kProtocol, "an impossible gap");
    return answer(services_.book.take(
        *hold_, *gap, now, [&](const auto& mark) { services_.intake.take({}, sender_, now, mark); }));
  }
  refuse(RefuseReason::kProtocol, "an unknown frame");
}

void AgentStream::take_hello(const HelloFrame& hello, Timestamp now) {
  if (hello.version != kAgentProtocol)
    return refuse(RefuseReason::kVersion, "this server speaks version " + std::to_string(kAgentProtocol));
  if (!is_same_secret(hello.token, services_.token)) return refuse(RefuseReason::kToken, "wrong token");
  auto opened = services_.book.open(hello, watcher_.lock(), now);
  if (const auto* reason = std::get_if<RefuseReason>(&opened))
    return refuse(*reason, *reason == RefuseReason::kFenced ? "a later epoch of this agent is known"
                                                            : "too many agents");
  auto& [hold, position] = std::get<AgentBook::Opened>(opened);
  hold_ = std::move(hold);
  durable_ = position.seq;
  has_opened_ = true;
  append_frame(output_, WelcomeFrame{.position = position});
}

void AgentStream::answer(AgentTake take) {
  switch (take) {
    case AgentTake::kTaken:
      return;
    case AgentTake::kAgain:
      owes_ack_ = true;
      return;
    case AgentTake::kGap:
      return refuse(RefuseReason::kGap, "a batch that does not follow the one before");
    case AgentTake::kReplaced:
      return refuse(RefuseReason::kReplaced, "another connection speaks for this agent");
  }
}

void AgentStream::durable(uint64_t seq) {
  if (is_over_ || seq <= durable_) return;
  durable_ = seq;
  owes_ack_ = true;
}

void AgentStream::refuse(RefuseReason reason, std::string_view text) {
  if (is_over_) return;
  append_frame(output_, RefuseFrame{reason, text});
  owes_ack_ = false;
  is_over_ = true;
}

}  // namespace statmill

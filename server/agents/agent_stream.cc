#include "server/agents/agent_stream.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

// Takes the same time wherever they differ, so that nobody finds the token byte by byte.
bool is_same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string_view words_for(RefuseReason reason) {
  switch (reason) {
    case RefuseReason::kFenced:
      return "a later epoch of this agent is known";
    case RefuseReason::kReplaced:
      return "another connection speaks for this agent";
    case RefuseReason::kGap:
      return "a batch that does not follow the one before";
    case RefuseReason::kLimit:
      return "no room for another agent";
    case RefuseReason::kStopping:
      return "this agent is being forgotten; come back";
    case RefuseReason::kOwner:
      return "this id is known with another secret";
    case RefuseReason::kServerClock:
      return "the server's clock is in doubt, and differs from this host's; batches wait until it is right "
             "or its operator has confirmed it";
    default:
      return {};
  }
}

// Of clocks, whose difference may be beyond 63 bits.
std::string clock_words(Timestamp clock, Timestamp now) {
  const int64_t by_s = std::abs(unix_seconds(clock) - unix_seconds(now));
  return "the agent's clock is " + format_duration(std::chrono::seconds(by_s)) +
         (clock > now ? " ahead of" : " behind") + " the server's; nothing is taken until they agree";
}

}  // namespace

AgentStream::~AgentStream() { leave(); }

void AgentStream::leave() {
  if (hold_) services_.book.close(*hold_);
  hold_.reset();
  is_over_ = true;
}

std::string AgentStream::take_output() {
  if (std::exchange(owes_ack_, false))
    append_frame(output_, AckFrame{std::min(durable_.seq, heard_seq_), durable_.lines_refused});
  return std::exchange(output_, {});
}

size_t AgentStream::receive(std::string_view bytes, TickTime now) {
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
      waits_for_room_ = has_waited_ = true;
      break;
    }
    take(frame, now);
    taken += frame.bytes;
  }
  return is_over_ ? bytes.size() : taken;
}

void AgentStream::take(const FrameRead& frame, TickTime now) {
  if (!hold_) {
    const auto hello = frame.type == FrameType::kHello ? decode_hello(frame.payload) : std::nullopt;
    if (!hello) return refuse(RefuseReason::kProtocol, "no hello");
    return take_hello(*hello, now);
  }
  switch (frame.type) {
    case FrameType::kBatch: {
      const auto batch = decode_batch(frame.payload);
      return batch ? take_batch(*batch, now) : refuse(RefuseReason::kProtocol, "an impossible batch");
    }
    case FrameType::kGap: {
      const auto gap = decode_gap(frame.payload);
      return gap ? take_gap(*gap, now) : refuse(RefuseReason::kProtocol, "an impossible gap");
    }
    case FrameType::kStatus: {
      const auto status = decode_status(frame.payload);
      return status ? take_status(*status, now) : refuse(RefuseReason::kProtocol, "an impossible status");
    }
    default:
      return refuse(RefuseReason::kProtocol, "an unknown frame");
  }
}

void AgentStream::take_hello(const HelloFrame& hello, TickTime now) {
  if (hello.version != kAgentProtocol)
    return refuse(RefuseReason::kVersion, "this server speaks version " + std::to_string(kAgentProtocol));
  if (!is_same_secret(hello.token, services_.token)) return refuse(RefuseReason::kToken, "wrong token");
  if (refuse_wrong_clock(hello.clock, now)) return;
  clock_ = {hello.clock, now.boot};
  auto opened = services_.book.open(hello, sender_, watcher_.lock(), now);
  if (const auto* reason = std::get_if<RefuseReason>(&opened)) return refuse(*reason);
  auto& [hold, position, lines_refused] = std::get<AgentRegistry::Opened>(opened);
  hold_ = std::move(hold);
  durable_ = {position.seq, lines_refused};
  heard_seq_ = position.seq;
  has_opened_ = true;
  append_frame(output_,
               WelcomeFrame{.position = position, .lines_refused = lines_refused, .clock = now.wall});
}

void AgentStream::take_batch(const BatchFrame& batch, TickTime now) {
  if (!batch.tags.empty()) return refuse(RefuseReason::kProtocol, "a batch with tags");
  // The server's clock may have stepped since the agent's was compared with it.
  if (refuse_wrong_clock(clock_.said + std::chrono::round<Duration>(now.boot - clock_.at), now)) return;
  const AgentLines lines{
      .text = batch.text, .sender = sender_, .sent = batch.time, .now = services_.book.time_for_lines(now)};
  answer(services_.book.take(*hold_, batch, now, apply_to(lines)), batch.seq);
}

void AgentStream::take_gap(const GapFrame& gap, TickTime now) {
  const AgentLines lines{.sender = sender_, .sent = gap.time, .now = now.wall};
  answer(services_.book.take(*hold_, gap, now, apply_to(lines)), gap.seq);
}

AgentRegistry::Apply AgentStream::apply_to(AgentLines lines) {
  return [this, lines](AgentRegistry::Lines fate, const AgentRegistry::Mark& mark) mutable {
    lines.fate = fate;
    services_.intake.take(lines, mark);
  };
}

void AgentStream::take_status(const StatusFrame& status, TickTime now) {
  const bool is_clock_old = std::exchange(has_waited_, false);
  if (!is_clock_old) {
    if (refuse_wrong_clock(status.clock, now)) return;
    clock_ = {status.clock, now.boot};
  }
  services_.book.note_status(*hold_, status,
                             is_clock_old ? std::nullopt : std::optional(status.clock - now.wall));
}

// Before anything is taken of a batch that would be thrown away; the agent keeps it and comes back. `clock`:
// what the agent's shows now. While the server's own is in doubt, an agent whose clock agrees with it is
// still taken: two clocks are seldom wrong alike, and a doubt may last for weeks.
bool AgentStream::refuse_wrong_clock(Timestamp clock, TickTime now) {
  const AgentLimits& limits = services_.book.limits();
  const bool in_doubt = services_.book.is_clock_in_doubt(now);
  const Duration limit = in_doubt ? std::min(limits.clock_max_in_doubt, limits.clock_max) : limits.clock_max;
  if (clock <= now.wall + limit && clock >= now.wall - limit) return false;
  if (in_doubt)
    refuse(RefuseReason::kServerClock);
  else
    refuse(RefuseReason::kClock, clock_words(clock, now.wall));
  return true;
}

void AgentStream::answer(AgentTake take, uint64_t seq) {
  switch (take) {
    case AgentTake::kTaken:
      heard_seq_ = seq;
      return;
    case AgentTake::kAgain:
      heard_seq_ = seq;
      owes_ack_ = true;
      return;
    case AgentTake::kOther:
      return refuse(RefuseReason::kOwner, "another agent with this id has sent another batch of this number");
    case AgentTake::kGap:
      return refuse(RefuseReason::kGap);
    case AgentTake::kReplaced:
      return refuse(RefuseReason::kReplaced);
    case AgentTake::kLimit:
      return refuse(RefuseReason::kLimit);
  }
}

void AgentStream::durable(AckFrame ack) {
  if (is_over_ || ack.seq <= durable_.seq) return;
  durable_ = ack;
  owes_ack_ = true;
}

void AgentStream::refuse(RefuseReason reason) { refuse(reason, words_for(reason)); }

void AgentStream::refuse(RefuseReason reason, std::string_view text) {
  if (is_over_) return;
  append_frame(output_, RefuseFrame{reason, text});
  owes_ack_ = false;
  is_over_ = true;
}

}  // namespace statmill

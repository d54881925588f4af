#include "ingest/agents/agent_stream.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

// Takes the same time wherever the texts differ, so that an attacker cannot find the token byte by byte.
bool is_same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string_view standard_text(RefuseReason reason) {
  switch (reason) {
    case RefuseReason::kFenced:
      return "the server knows a later epoch of this agent";
    case RefuseReason::kReplaced:
      return "another connection speaks for this agent";
    case RefuseReason::kGap:
      return "the batch does not follow the one before";
    case RefuseReason::kLimit:
      return "no more agents are admitted";
    case RefuseReason::kStopping:
      return "the batches of this agent cannot be taken now; try again";
    case RefuseReason::kOwner:
      return "this id belongs to an agent with another secret";
    case RefuseReason::kServerClock:
      return "the server's clock may be wrong and differs from this host's; batches wait until it is right "
             "or an operator confirms it";
    default:
      return {};
  }
}

// Computes in seconds: in milliseconds the difference may exceed 63 bits.
std::string clock_text(Timestamp clock, Timestamp now) {
  const int64_t by_s = std::abs(unix_seconds(clock) - unix_seconds(now));
  return "the agent's clock is " + format_duration(std::chrono::seconds(by_s)) +
         (clock > now ? " ahead of" : " behind") + " the server's; nothing is accepted until they agree";
}

// Tables, logs and events show these texts.
bool has_clean_texts(const HelloFrame& hello) {
  return is_text(hello.host) && is_text(hello.agent_version) && is_text(hello.kernel) &&
         is_text(hello.boot_id);
}

}  // namespace

AgentStream::~AgentStream() { close(); }

void AgentStream::close() {
  connection_.reset();
  is_over_ = true;
}

std::string AgentStream::pop_output() {
  if (std::exchange(owes_ack_, false)) append_frame(output_, ack_due());
  return std::exchange(output_, {});
}

// Both ends of what is durable, as far as this connection has sent it.
AckFrame AgentStream::ack_due() const {
  AckFrame ack{std::min(durable_.seq, sent_.position.seq), durable_.lines_refused};
  if (!sent_.ahead) return ack;
  const uint64_t ahead = std::min(std::max(durable_.seq, durable_.ahead), sent_.ahead->last.seq);
  if (ahead > sent_.ahead->after) ack.ahead = ahead;
  return ack;
}

size_t AgentStream::receive(std::string_view bytes, TickTime now) {
  size_t handled = 0;
  waits_for_room_ = false;
  while (!is_over_) {
    // Anybody may connect, so little is kept of a frame before the hello is valid.
    const FrameRead frame = read_frame(bytes.substr(handled), connection_ ? kFrameBytesMax : kHelloBytesMax);
    if (frame.state == FrameRead::State::kIncomplete) break;
    if (frame.state == FrameRead::State::kDamaged) {
      refuse(RefuseReason::kProtocol, "damaged frame");
      break;
    }
    if (connection_ && frame.type == FrameType::kBatch && !connection_->has_room()) {
      waits_for_room_ = has_waited_ = true;
      break;
    }
    handle_frame(frame, now);
    handled += frame.bytes;
  }
  return is_over_ ? bytes.size() : handled;
}

void AgentStream::handle_frame(const FrameRead& frame, TickTime now) {
  if (!connection_) {
    const auto hello = frame.type == FrameType::kHello ? decode_hello(frame.payload) : std::nullopt;
    if (!hello) return refuse(RefuseReason::kProtocol, "the first frame is not a hello");
    return handle_hello(*hello, now);
  }
  switch (frame.type) {
    case FrameType::kBatch: {
      const auto batch = decode_batch(frame.payload);
      return batch ? handle_batch(*batch, now) : refuse(RefuseReason::kProtocol, "invalid batch");
    }
    case FrameType::kGap: {
      const auto gap = decode_gap(frame.payload);
      return gap ? handle_gap(*gap, now) : refuse(RefuseReason::kProtocol, "invalid gap");
    }
    case FrameType::kStatus: {
      const auto status = decode_status(frame.payload);
      return status ? handle_status(*status, now) : refuse(RefuseReason::kProtocol, "invalid status");
    }
    default:
      return refuse(RefuseReason::kProtocol, "unknown frame");
  }
}

void AgentStream::handle_hello(const HelloFrame& hello, TickTime now) {
  if (!has_clean_texts(hello))
    return refuse(RefuseReason::kProtocol, "the hello has control characters or bytes that are not UTF-8");
  visitor_ = {std::string(hello.host), short_id(hello.id), std::string(hello.agent_version)};
  if (hello.version != kAgentProtocol && hello.version != kAgentProtocolRenamed) {
    services_.host.note_outdated(hello, sender_, now.wall);
    return refuse(RefuseReason::kVersion, "this server speaks protocol " + std::to_string(kAgentProtocol));
  }
  if (!is_same_secret(hello.token, services_.token())) return refuse(RefuseReason::kToken, "wrong token");
  if (hello.hops > kHopsMax)
    return refuse(RefuseReason::kProtocol,
                  "the batches passed too many gateways; do these send in a circle?");
  if (hello.version == kAgentProtocolRenamed) {
    services_.host.note_outdated(hello, sender_, now.wall);
    return refuse(RefuseReason::kVersion,
                  "upgrade the agent: it speaks protocol 2, whose series have other names");
  }
  if (refuse_wrong_clock(hello.clock, now)) return;
  agent_clock_ = {hello.clock, now.boot};
  auto opened = services_.host.open(hello, sender_, observer_.lock(), now);
  if (const auto* reason = std::get_if<RefuseReason>(&opened)) return refuse(*reason);
  auto& [connection, durable, lines_refused, accepts_ahead] = std::get<AgentHost::Opened>(opened);
  connection_ = std::move(connection);
  durable_ = {durable.position.seq, lines_refused, durable.last().seq};
  sent_ = durable;
  has_opened_ = true;
  append_frame(output_, WelcomeFrame{.position = durable.position,
                                     .lines_refused = lines_refused,
                                     .clock = now.wall,
                                     .ahead = durable.ahead,
                                     .accepts_ahead = accepts_ahead});
}

void AgentStream::handle_batch(const BatchFrame& batch, TickTime now) {
  // The server's clock may have stepped since the two clocks were compared.
  if (refuse_wrong_clock(agent_clock_.reading + std::chrono::round<Duration>(now.boot - agent_clock_.at),
                         now))
    return;
  if (answer(connection_->accept(batch, now)))
    sent_.extend(batch.seq, batch.lines_before, {0, batch.seq, batch.lines_before + batch.lines, batch.time});
}

void AgentStream::handle_gap(const GapFrame& gap, TickTime now) {
  if (answer(connection_->accept(gap, now)))
    sent_.extend(gap.first, std::nullopt, {0, gap.seq, gap.lines_before, gap.time});
}

void AgentStream::handle_status(const StatusFrame& status, TickTime now) {
  const bool is_clock_old = std::exchange(has_waited_, false);
  if (!is_clock_old) {
    if (refuse_wrong_clock(status.clock, now)) return;
    agent_clock_ = {status.clock, now.boot};
  }
  connection_->note_status(status, is_clock_old ? std::nullopt : std::optional(status.clock - now.wall));
}

// Refuses an agent whose clock, now at `clock`, differs too much; returns true if so. Called before a batch
// is accepted, since its lines would be dropped; the agent keeps the batch and reconnects.
bool AgentStream::refuse_wrong_clock(Timestamp clock, TickTime now) {
  const auto [limit, is_suspect] = services_.host.clock_limit(now);
  if (clock <= now.wall + limit && clock >= now.wall - limit) return false;
  if (is_suspect)
    refuse(RefuseReason::kServerClock);
  else
    refuse(RefuseReason::kClock, clock_text(clock, now.wall));
  return true;
}

// Returns true if the server has the batch or gap.
bool AgentStream::answer(FrameResult result) {
  switch (result) {
    case FrameResult::kApplied:
      return true;
    case FrameResult::kRepeat:
      owes_ack_ = true;
      return true;
    case FrameResult::kOtherBatch:
      refuse(RefuseReason::kOwner, "another agent with this id has sent a different batch with this number");
      return false;
    case FrameResult::kGap:
      refuse(RefuseReason::kGap);
      return false;
    case FrameResult::kReplaced:
      refuse(RefuseReason::kReplaced);
      return false;
    case FrameResult::kLimit:
      refuse(RefuseReason::kLimit);
      return false;
    case FrameResult::kInvalid:
      refuse(RefuseReason::kProtocol, "the tags of the batch are not in canonical form, or it is empty");
      return false;
  }
  return false;
}

void AgentStream::on_durable(AckFrame ack) {
  if (is_over_ || ack == durable_) return;
  durable_ = ack;
  owes_ack_ = true;
}

void AgentStream::refuse(RefuseReason reason) { refuse(reason, standard_text(reason)); }

void AgentStream::refuse(RefuseReason reason, std::string_view text) {
  if (is_over_) return;
  append_frame(output_, RefuseFrame{reason, text});
  refusal_.emplace(reason, text);
  owes_ack_ = false;
  is_over_ = true;
}

}  // namespace statmill

// See delivery.h.
#include "agent/delivery/delivery.h"

#include <algorithm>
#include <utility>

namespace statmill {
namespace {

// Nothing that a server says is longer.
constexpr size_t kAnswerBytesMax = 4096;

// What became of the batches that such a spool still has, nobody can say: that is for people to decide.
constexpr std::string_view kFencedAdvice =
    "; the spool's disk is that of an earlier day: remove its files, and the agent begins anew";

}  // namespace

Delivery::Delivery(Spool& spool, DeliveryOptions options)
    : spool_(spool), options_(std::move(options)), reader_(spool) {}

void Delivery::connected(SteadyTime now) {
  state_ = State::kHello;
  failure_.reset();
  unread_.clear();
  held_back_.reset();
  small_.clear();
  append_frame(small_, HelloFrame{.is_ephemeral = options_.is_ephemeral,
                                  .id = spool_.id(),
                                  .acknowledged = {.epoch = spool_.epoch()},
                                  .host = options_.host,
                                  .token = options_.token});
  next_ = small_;
  waiting_since_ = now;
}

void Delivery::disconnected() {
  state_ = State::kAway;
  next_ = {};
}

void Delivery::receive(std::string_view bytes, SteadyTime now) {
  unread_.append(bytes);
  std::string_view unread = unread_;
  while (!failure_) {
    const FrameRead frame = read_frame(unread);
    if (frame.state == FrameRead::State::kDamaged || frame.bytes > kAnswerBytesMax) {
      fail(ErrorCode::kCorrupt, "it answered with bytes that are no frame");
    } else if (frame.state == FrameRead::State::kIncomplete) {
      break;
    } else {
      take(frame, now);
      unread.remove_prefix(frame.bytes);
    }
  }
  unread_.erase(0, unread_.size() - unread.size());
}

void Delivery::take(const FrameRead& frame, SteadyTime now) {
  if (frame.type == FrameType::kRefuse) {
    const auto refuse = decode_refuse(frame.payload);
    if (!refuse) return fail(ErrorCode::kCorrupt, "it refused without a reason");
    const bool is_fenced = refuse->reason == RefuseReason::kFenced;
    return fail(ErrorCode::kUnavailable, "it refused (" + std::string(refuse_reason_text(refuse->reason)) +
                                             "): " + std::string(refuse->text) +
                                             std::string(is_fenced ? kFencedAdvice : ""));
  }
  if (state_ == State::kHello && frame.type == FrameType::kWelcome) {
    const auto welcome = decode_welcome(frame.payload);
    if (welcome && welcome->position.epoch == spool_.epoch()) return take_welcome(*welcome, now);
  } else if (state_ == State::kWelcome && frame.type == FrameType::kAck) {
    if (const auto ack = decode_ack(frame.payload)) return take_ack(ack->seq, now);
  }
  fail(ErrorCode::kCorrupt, "it answered with a frame that makes no sense here");
}

void Delivery::take_welcome(const WelcomeFrame& welcome, SteadyTime now) {
  const AgentPosition& position = welcome.position;
  if (position.seq > spool_.durable_seq() || position.lines > spool_.lines()) {
    // What could not be made durable of this is tried again with the next batch.
    if (const Status skipped = spool_.skip_to(position);
        !skipped && skipped.error().code == ErrorCode::kInvalid)
      return fail(ErrorCode::kCorrupt, skipped.error().message);
  }
  state_ = State::kWelcome;
  if (position.seq < ever_acknowledged_) ++stats_.rewinds;
  note_acknowledged(position.seq);
  unacknowledged_.clear();  // what is left of it is sent again
  sent_seq_ = position.seq;
  sent_lines_ = position.lines;
  reader_.seek(position.seq + 1);
  waiting_since_ = now;
}

void Delivery::take_ack(uint64_t seq, SteadyTime now) {
  if (seq > sent_seq_) return fail(ErrorCode::kCorrupt, "it acknowledged what was not sent");
  if (seq <= acknowledged_) return;
  note_acknowledged(seq);
  waiting_since_ = now;
}

void Delivery::note_acknowledged(uint64_t seq) {
  for (; !unacknowledged_.empty() && unacknowledged_.front().seq <= seq; unacknowledged_.pop_front())
    stats_.lines_acknowledged += unacknowledged_.front().lines;
  acknowledged_ = seq;
  ever_acknowledged_ = std::max(ever_acknowledged_, seq);
  spool_.acknowledged(options_.server, seq);
}

Result<std::string_view> Delivery::output(SteadyTime now) {
  if (next_.empty() && state_ == State::kWelcome && !failure_) {
    if (const Status prepared = prepare_next(now); !prepared) return prepared.error();
  }
  return next_;
}

void Delivery::took(size_t bytes) { next_.remove_prefix(bytes); }

// The next record of the spool, or the gap before it.
Status Delivery::prepare_next(SteadyTime now) {
  while (!held_back_) {
    auto record = reader_.next();
    if (!record) return record.error();
    if (!*record) return Status::ok();
    if (can_follow(**record)) {
      held_back_ = **record;
    } else {
      stats_.lines_displaced += (*record)->lines;
    }
  }
  const SpoolRecord& record = *held_back_;
  if (acknowledged_ == sent_seq_) waiting_since_ = now;
  if (record.seq != sent_seq_ + 1) {
    small_.clear();
    append_frame(small_, GapFrame{.first = sent_seq_ + 1,
                                  .seq = record.seq - 1,
                                  .lines_before = record.lines_before,
                                  .reason = reason_of_gap(record.seq),
                                  .time = record.time});
    next_ = small_;
    sent_seq_ = record.seq - 1;
    sent_lines_ = record.lines_before;
    ++stats_.gaps_told;
    return Status::ok();
  }
  next_ = record.frame;
  sent_seq_ = record.seq;
  sent_lines_ = record.lines_before + record.lines;
  unacknowledged_.push_back({sent_seq_, record.lines});
  ++stats_.batches_sent;
  held_back_.reset();
  return Status::ok();
}

// Not so where the disk is that of an earlier day, and the server has other batches of the numbers before: it
// would refuse this one whenever it came. What can be told is that it is missing.
bool Delivery::can_follow(const SpoolRecord& record) const {
  return record.seq == sent_seq_ + 1 ? record.lines_before == sent_lines_
                                     : record.lines_before >= sent_lines_;
}

// Of what is missing between what was sent and a batch that is there.
GapReason Delivery::reason_of_gap(uint64_t next_seq) const {
  if (held_back_->damaged > 0) return GapReason::kDamaged;
  return next_seq - 1 <= ever_acknowledged_ ? GapReason::kForgotten : GapReason::kSpoolFull;
}

void Delivery::fail(ErrorCode code, std::string why) {
  if (!failure_) failure_ = Error{code, std::move(why)};
}

std::optional<SteadyTime> Delivery::deadline() const {
  if (state_ == State::kHello) return waiting_since_ + kHelloLimit;
  if (state_ == State::kWelcome && acknowledged_ < sent_seq_) return waiting_since_ + kSilenceLimit;
  return std::nullopt;
}

std::optional<Error> Delivery::verdict(SteadyTime now) const {
  if (failure_) return failure_;
  const std::optional<SteadyTime> by = deadline();
  if (!by || now < *by) return std::nullopt;
  return Error{ErrorCode::kUnavailable,
               state_ == State::kHello ? "it did not answer the hello; is this the port of the agent stream?"
                                       : "it acknowledged nothing for a minute"};
}

}  // namespace statmill

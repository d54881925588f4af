#include "agent/delivery/delivery.h"

#include <algorithm>
#include <utility>

namespace statmill {
namespace {

// No answer of a server is longer.
constexpr size_t kAnswerBytesMax = 4096;

// Logged for a refusal with the reason `clock`. The server's own text contains the times, so it would differ,
// and be logged, at each attempt.
constexpr std::string_view kClockAdvice =
    "the clocks of this host and of the server differ by more than 25 hours; batches wait in the spool "
    "until the wrong one is corrected";

}  // namespace

Delivery::Delivery(Spool& spool, DeliveryOptions options)
    : spool_(spool), options_(std::move(options)), reader_(spool), backlog_reader_(spool) {
  reset_for_identity();
  handed_out_ = spool_.durable_seq();  // at most this much was sent by earlier processes
}

// Forgets everything about the previous identity.
void Delivery::reset_for_identity() {
  id_ = spool_.id();
  sent_ = {};
  handed_out_ = 0;
  backlog_end_ = 0;
  unacknowledged_.clear();
  backlog_unacknowledged_.clear();
  acknowledged_ = {};
  ever_acknowledged_ = {};
  was_replaced_ = false;
  replaced_.clear();
  refused_.reset();
}

void Delivery::connected(const ClockReadings& now) {
  if (id_ != spool_.id()) reset_for_identity();
  state_ = State::kHello;
  failure_.reset();
  unread_.clear();
  held_.reset();
  held_backlog_.reset();
  status_sent_at_.reset();
  ever_acknowledged_.epoch = spool_.epoch();
  const HostBoot boot = options_.boot ? options_.boot() : HostBoot();
  HelloFrame hello = is_passed_on() ? options_.passed_hello(now.wall) : own_hello(boot, now.wall);
  hello.id = id_;
  hello.secret = spool_.secret();
  hello.acknowledged = ever_acknowledged_;
  hello.token = options_.token;
  small_.clear();
  append_frame(small_, hello);
  next_ = small_;
  waiting_since_ = now.steady;
}

HelloFrame Delivery::own_hello(const HostBoot& boot, Timestamp now) const {
  return {.is_ephemeral = options_.is_ephemeral,
          .clock = now,
          .host = options_.host,
          .agent_version = STATMILL_VERSION,
          .kernel = boot.kernel,
          .boot_id = boot.id,
          .uptime = boot.time == Timestamp() ? Duration(0) : now - boot.time};
}

void Delivery::receive(std::string_view bytes, const ClockReadings& now) {
  unread_.append(bytes);
  std::string_view unread = unread_;
  while (!failure_) {
    const FrameRead frame = read_frame(unread);
    if (frame.state == FrameRead::State::kDamaged || frame.bytes > kAnswerBytesMax) {
      fail(ErrorCode::kCorrupt, "it answered with bytes that are not a frame");
    } else if (frame.state == FrameRead::State::kIncomplete) {
      break;
    } else {
      handle(frame, now);
      unread.remove_prefix(frame.bytes);
    }
  }
  unread_.erase(0, unread_.size() - unread.size());
}

void Delivery::handle(const FrameRead& frame, const ClockReadings& now) {
  if (id_ != spool_.id()) return fail(ErrorCode::kBusy, "the agent has a new identity");
  if (frame.type == FrameType::kRefuse) {
    const auto refuse = decode_refuse(frame.payload);
    if (!refuse) return fail(ErrorCode::kCorrupt, "it refused without a reason");
    return handle_refusal(*refuse, now.steady);
  }
  if (state_ == State::kHello && frame.type == FrameType::kWelcome) {
    const auto welcome = decode_welcome(frame.payload);
    if (welcome && welcome->position.epoch == spool_.epoch()) return handle_welcome(*welcome, now);
  } else if (state_ == State::kWelcome && frame.type == FrameType::kAck) {
    if (const auto ack = decode_ack(frame.payload)) return handle_ack(*ack, now.steady);
  }
  fail(ErrorCode::kCorrupt, "it answered with a frame that is not valid at this point");
}

void Delivery::handle_refusal(const RefuseFrame& refuse, SteadyTime now) {
  const std::string why = "it refused (" + std::string(refuse_reason_text(refuse.reason)) + "): ";
  switch (refuse.reason) {
    case RefuseReason::kClock:
      return fail(ErrorCode::kUnavailable, why + std::string(kClockAdvice));
    // Another agent has the same identity, or the spool's disk was restored from an earlier state.
    case RefuseReason::kFenced:
      is_fenced_ = true;
      [[fallthrough]];
    case RefuseReason::kOwner:
      return change_identity(why + std::string(refuse.text), now);
    case RefuseReason::kReplaced:
      was_replaced_ = true;
      replaced_.push_back(now);
      if (replaced_.size() > kReplacedMax) replaced_.pop_front();
      if (!is_passed_on() && replaced_.size() == kReplacedMax && now - replaced_.front() <= kReplacedInterval)
        return change_identity(why + std::string(refuse.text) + ", three times in ten minutes", now);
      break;
    case RefuseReason::kVersion:
      return fail(ErrorCode::kUnavailable, why + std::string(refuse.text) + "; this agent speaks protocol " +
                                               std::to_string(kAgentProtocol));
    default:
      break;
  }
  fail(ErrorCode::kUnavailable, why + std::string(refuse.text));
}

void Delivery::handle_welcome(const WelcomeFrame& welcome, const ClockReadings& now) {
  AgentProgress durable{welcome.position, welcome.ahead};
  if (durable.ahead && durable.ahead->last.seq == durable.ahead->after) durable.ahead.reset();
  const Result<Owner> owner = owner_of(durable);
  if (!owner) return fail(owner.error().code, "read the spool: " + owner.error().message);
  if (*owner == Owner::kOther || (*owner == Owner::kUnsure && spool_.may_change_identity(now.steady)))
    return change_identity("it has batches of this agent's id that this agent did not make", now.steady);
  state_ = State::kWelcome;
  was_replaced_ = false;
  clock_ahead_ =
      now.wall - welcome.clock - std::chrono::duration_cast<Duration>(now.steady - waiting_since_) / 2;
  count_refused(welcome.lines_refused);
  const uint64_t seq = durable.position.seq;
  if (seq < ever_acknowledged_.seq) ++stats_.rewinds;
  count_acknowledged(seq, durable.last().seq, now.steady);
  acknowledged_ = sent_ = durable;
  report_acknowledged();
  unacknowledged_.clear();  // the rest of it is sent again
  backlog_unacknowledged_.clear();
  window_ = BacklogWindow(options_.backlog_bytes);
  backlog_end_ = welcome.ahead           ? welcome.ahead->after
                 : welcome.accepts_ahead ? std::max(seq, spool_.durable_seq())
                                         : seq;
  backlog_reader_.seek(seq + 1);
  reader_.seek(durable.ahead ? durable.ahead->last.seq + 1 : backlog_end_ + 1);
  waiting_since_ = now.steady;
}

// Decides whether the last batches on the server were made by this agent. kUnsure if that cannot be decided.
Result<Delivery::Owner> Delivery::owner_of(const AgentProgress& progress) {
  auto owner = owner_of(progress.position);
  if (!owner || *owner == Owner::kOther || !progress.ahead) return owner;
  auto owner_of_run = owner_of(progress.ahead->last);
  return owner_of_run && *owner_of_run == Owner::kThis ? owner : owner_of_run;
}

Result<Delivery::Owner> Delivery::owner_of(const AgentPosition& position) {
  if (position.seq == 0 || position == ever_acknowledged_) return Owner::kThis;
  if (position.seq > handed_out_ && !is_passed_on()) return Owner::kOther;
  reader_.seek(position.seq);
  const auto record = reader_.next();
  if (!record) return record.error();
  const bool is_held = *record && (*record)->seq == position.seq;
  if (is_held &&
      ((*record)->time != position.time || (*record)->lines_before + (*record)->lines != position.lines)) {
    return Owner::kOther;
  }
  // A batch in flight when another agent connected may have arrived, or the other agent's batch may be in its
  // place: clones make batches with the same number of lines at the same times.
  const bool is_unsure = was_replaced_ && !is_passed_on() && !acknowledged_.contains(position.seq);
  return is_unsure ? Owner::kUnsure : Owner::kThis;
}

void Delivery::handle_ack(const AckFrame& ack, SteadyTime now) {
  if (ack.seq > sent_.position.seq || ack.ahead > sent_.last().seq)
    return fail(ErrorCode::kCorrupt, "it acknowledged a batch that was not sent");
  count_refused(ack.lines_refused);
  const AgentProgress before = acknowledged_;
  count_acknowledged(ack.seq, ack.ahead, now);
  if (acknowledged_ == before) return;
  report_acknowledged();
  waiting_since_ = now;
}

void Delivery::count_acknowledged(uint64_t seq, uint64_t ahead, SteadyTime now) {
  const auto count_first = [&](std::deque<Sent>& unacknowledged) {
    const Sent& sent = unacknowledged.front();
    stats_.lines_acknowledged += sent.lines;
    acknowledged_.extend(sent.first, sent.lines_before, sent.end);
    unacknowledged.pop_front();
  };
  while (!backlog_unacknowledged_.empty() && backlog_unacknowledged_.front().end.seq <= seq) {
    window_.acknowledged(backlog_unacknowledged_.front().bytes, now);
    count_first(backlog_unacknowledged_);
  }
  while (!unacknowledged_.empty() && unacknowledged_.front().end.seq <= std::max(seq, ahead))
    count_first(unacknowledged_);
}

void Delivery::report_acknowledged() {
  const AgentPosition& position = acknowledged_.position;
  if (position.seq > ever_acknowledged_.seq) ever_acknowledged_ = position;
  spool_.acknowledged(options_.server, {position.seq, position.lines}, acknowledged_.ahead);
}

uint64_t Delivery::backlog_batches() const {
  if (id_ != spool_.id()) return 0;
  return backlog_end_ - std::min(backlog_end_, acknowledged().position.seq);
}

// Lines refused before this process started were counted by the earlier process.
void Delivery::count_refused(uint64_t lines) {
  if (refused_ && lines > *refused_) stats_.lines_refused += lines - *refused_;
  refused_ = lines;
}

// Nothing more can be sent under the current identity, so the connection ends.
void Delivery::change_identity(const std::string& why, SteadyTime now) {
  if (is_passed_on()) {
    conflict_ = why;
    return fail(ErrorCode::kBusy, why);
  }
  const Status changed = spool_.change_identity(GapReason::kCloned, now);
  fail(ErrorCode::kBusy,
       why + (changed ? "; the agent takes a new identity" : "; " + changed.error().message));
}

Result<std::string_view> Delivery::output(const ClockReadings& now) {
  if (id_ != spool_.id()) fail(ErrorCode::kBusy, "the agent has a new identity");
  if (next_.empty() && state_ == State::kWelcome && !failure_) {
    if (Status prepared = prepare_next(now); !prepared)
      return std::move(prepared).error().with("read the spool");
  }
  if (failure_) return *failure_;
  return next_;
}

void Delivery::consume_output(size_t bytes) { next_.remove_prefix(bytes); }

// Prepares the status if it is due, otherwise the next record, or the gap before it: the newest first.
Status Delivery::prepare_next(const ClockReadings& now) {
  if (!status_sent_at_) {
    prepare_status(now);
    if (!next_.empty()) return Status::ok();
  }
  if (const SpoolLoss lost = spool_.lost(); lost.lines > 0 && sent_.position.seq == 0) {
    prepare_gap({.first = 1, .seq = 1, .lines_before = lost.lines, .reason = lost.reason, .time = now.wall},
                has_backlog(), now);
    return Status::ok();
  }
  if (Status held = hold_next(reader_, held_); !held) return held;
  const bool is_backlog = !held_ && has_backlog();
  if (is_backlog) {
    if (!window_.has_room()) return Status::ok();
    if (Status held = hold_next(backlog_reader_, held_backlog_); !held) return held;
  }
  if (!(is_backlog ? held_backlog_ : held_)) return Status::ok();
  if (now.steady - *status_sent_at_ >= kStatusInterval) prepare_status(now);
  if (!next_.empty()) return Status::ok();
  is_backlog ? prepare_backlog(now) : prepare_newest(now);
  return Status::ok();
}

Status Delivery::hold_next(SpoolReader& reader, std::optional<SpoolRecord>& held) {
  if (held) return Status::ok();
  auto record = reader.next();
  if (!record) return record.error();
  held = *record;
  return Status::ok();
}

// The first batch that is sent before a backlog says where the backlog ends.
void Delivery::prepare_newest(const ClockReadings& now) {
  const SpoolRecord& record = *held_;
  const bool begins_run = has_backlog() && !sent_.ahead;
  if (begins_run) backlog_end_ = record.seq - 1;
  if (const uint64_t last = sent_.last().seq; !begins_run && record.seq != last + 1)
    return prepare_gap({.first = last + 1,
                        .seq = record.seq - 1,
                        .lines_before = record.lines_before,
                        .reason = reason_of_gap(record, record.seq - 1),
                        .time = record.time},
                       false, now);
  prepare_batch(record, false, now);
  held_.reset();
}

void Delivery::prepare_backlog(const ClockReadings& now) {
  const SpoolRecord record = *held_backlog_;
  const bool is_past_end = record.seq > backlog_end_;
  if (is_past_end || record.seq == sent_.position.seq + 1) held_backlog_.reset();
  if (is_past_end && !sent_.ahead) {
    backlog_end_ = sent_.position.seq;  // the gap comes before the next batch
  } else if (is_past_end || record.seq != sent_.position.seq + 1) {
    const uint64_t last = is_past_end ? backlog_end_ : record.seq - 1;
    prepare_gap({.first = sent_.position.seq + 1,
                 .seq = last,
                 .lines_before = is_past_end ? sent_.ahead->lines_before : record.lines_before,
                 .reason = reason_of_gap(record, last),
                 .time = record.time},
                true, now);
  } else {
    prepare_batch(record, true, now);
  }
}

StatusFrame Delivery::own_status(Timestamp now) const {
  const SpoolStats spool = spool_.stats();
  return {.clock = now,
          .spool_bytes = spool.bytes + spool.bytes_unsynced,
          .lines_dropped = spool.lines_dropped(),
          .collectors = options_.collectors ? options_.collectors() : std::vector<CollectorNote>()};
}

void Delivery::prepare_status(const ClockReadings& now) {
  const auto status = is_passed_on() ? options_.passed_status(now.wall) : own_status(now.wall);
  small_.clear();
  if (status) append_frame(small_, *status);
  next_ = small_;
  status_sent_at_ = now.steady;
}

void Delivery::prepare_gap(const GapFrame& gap, bool is_backlog, const ClockReadings& now) {
  small_.clear();
  append_frame(small_, gap);
  next_ = small_;
  note_sent({.first = gap.first,
             .lines_before = std::nullopt,
             .end = {spool_.epoch(), gap.seq, gap.lines_before, gap.time}},
            is_backlog, now);
}

void Delivery::prepare_batch(const SpoolRecord& record, bool is_backlog, const ClockReadings& now) {
  next_ = record.frame;
  note_sent({.first = record.seq,
             .lines_before = record.lines_before,
             .end = {spool_.epoch(), record.seq, record.lines_before + record.lines, record.time},
             .lines = record.lines},
            is_backlog, now);
}

// It cannot follow if the server counts other batches than those that were sent or are missing here.
void Delivery::note_sent(const Sent& sent, bool is_backlog, const ClockReadings& now) {
  const bool was_ack_due = is_ack_due();
  if (!sent_.extend(sent.first, sent.lines_before, sent.end)) {
    next_ = {};
    return change_identity("it has other batches of this agent's id", now.steady);
  }
  ++(sent.lines_before ? stats_.batches_sent : stats_.gaps_reported);
  if (!was_ack_due) waiting_since_ = now.steady;
  handed_out_ = std::max(handed_out_, sent_.last().seq);
  auto& unacknowledged = is_backlog ? backlog_unacknowledged_ : unacknowledged_;
  unacknowledged.push_back(sent);
  unacknowledged.back().bytes = next_.size();
  if (is_backlog) window_.sent(next_.size(), now.steady);
}

bool Delivery::is_ack_due() const {
  return acknowledged_.position.seq < sent_.position.seq || acknowledged_.last().seq < sent_.last().seq;
}

// Why the batches up to `last` are missing, of which `next` is the next one that is there.
GapReason Delivery::reason_of_gap(const SpoolRecord& next, uint64_t last) const {
  if (next.damaged > 0) return GapReason::kDamaged;
  return last <= ever_acknowledged_.seq ? GapReason::kForgotten : spool_.gap_reason(last);
}

void Delivery::fail(ErrorCode code, std::string why) {
  if (!failure_) failure_ = Error{code, std::move(why)};
}

std::optional<SteadyTime> Delivery::deadline() const {
  if (state_ == State::kHello) return waiting_since_ + kHelloLimit;
  if (state_ == State::kWelcome && is_ack_due()) return waiting_since_ + kSilenceLimit;
  return std::nullopt;
}

Status Delivery::check(SteadyTime now) const {
  if (failure_) return *failure_;
  const std::optional<SteadyTime> by = deadline();
  if (!by || now < *by) return Status::ok();
  return Error{ErrorCode::kUnavailable,
               state_ == State::kHello ? "it did not answer the hello; is this the port of the agent stream?"
                                       : "it has acknowledged nothing for a minute"};
}

}  // namespace statmill

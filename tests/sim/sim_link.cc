#include "tests/sim/sim_link.h"

#include <utility>

#include "agent/spool/spool_reader.h"

namespace statmill::sim {
namespace {

using std::chrono::milliseconds;

constexpr Duration kConnectMax = milliseconds(200);

}  // namespace

SimLink::SimLink(const Uses& uses, Spool& spool, DeliveryOptions options)
    : uses_(uses),
      spool_(spool),
      delivery_(spool, std::move(options)),
      backoff_(milliseconds(250), milliseconds(10'000), uses.stage.chance.bits()) {}

void SimLink::connect() {
  uses_.stage.schedule.after(uses_.stage.chance.duration(milliseconds(0), kConnectMax),
                             [weak = weak_from_this(), attempt = ++attempt_] {
                               const auto self = weak.lock();
                               if (self && attempt == self->attempt_) self->begin();
                             });
}

void SimLink::note_end() {
  ++attempt_;
  if (connection_ && !delivery_.is_welcome()) uses_.left_before_welcome();
}

void SimLink::sleep(Duration time) {
  note_end();
  if (connection_) std::exchange(connection_, nullptr)->vanish(Side::kAgent);
  delivery_.disconnected();
  uses_.stage.schedule.after(time, [weak = weak_from_this(), attempt = attempt_] {
    const auto self = weak.lock();
    if (self && attempt == self->attempt_) self->connect();
  });
}

void SimLink::begin() {
  received_.clear();
  refused_.reset();
  connection_ = std::make_shared<Connection>(uses_.stage);
  const auto on = [weak = weak_from_this(), attempt = attempt_](auto what) {
    return [=](auto... bytes) {
      const auto self = weak.lock();
      if (self && attempt == self->attempt_) what(*self, bytes...);
    };
  };
  connection_->attach(Side::kAgent,
                      {.bytes = on([](SimLink& self, std::string_view bytes) { self.read(bytes); }),
                       .room = on([](SimLink& self) { self.pump(); }),
                       .gone = on([](SimLink& self) { self.end("the connection has ended"); })});
  uses_.server.accept(connection_);
  uses_.watch(connection_);
  delivery_.connected(now());
  pump();
}

void SimLink::read(std::string_view bytes) {
  const bool was_welcome = delivery_.is_welcome();
  note_refusal(bytes);
  delivery_.receive(bytes, now());
  uses_.progressed(refused_);
  if (!was_welcome && delivery_.is_welcome()) {
    backoff_.reset();
    uses_.stage.note(uses_.server.name() + " welcomes " + series_of(spool_.id(), spool_.epoch()) + " at " +
                     std::to_string(delivery_.acknowledged().position.seq));
  }
  if (Status s = delivery_.check(uses_.stage.schedule.now()); !s) return end(s.error().message);
  check_acknowledged();
  pump();
}

void SimLink::note_refusal(std::string_view bytes) {
  received_.append(bytes);
  for (FrameRead frame = read_frame(received_); frame.state == FrameRead::State::kWhole;
       frame = read_frame(received_)) {
    const auto refuse = frame.type == FrameType::kRefuse ? decode_refuse(frame.payload) : std::nullopt;
    if (refuse) refused_ = refuse->reason;
    received_.erase(0, frame.bytes);
  }
}

void SimLink::pump() {
  while (connection_) {
    const uint64_t gaps = delivery_.stats().gaps_reported;
    const auto output = delivery_.output(now());
    uses_.progressed(refused_);
    if (!output) return end(output.error().message);
    if (output->empty()) break;
    if (delivery_.stats().gaps_reported > gaps) check_gap(*output);
    const size_t written = connection_->write(Side::kAgent, *output);
    if (written == 0) break;
    delivery_.consume_output(written);
  }
  watch();
}

void SimLink::end(const std::string& reason) {
  uses_.stage.note(series_of(spool_.id(), spool_.epoch()) + " leaves " + uses_.server.name() + ": " + reason);
  note_end();
  std::exchange(connection_, nullptr)->close(Side::kAgent);
  delivery_.disconnected();
  uses_.stage.schedule.after(backoff_.next(), [weak = weak_from_this(), attempt = attempt_] {
    const auto self = weak.lock();
    if (self && attempt == self->attempt_) self->connect();
  });
}

void SimLink::die(bool is_silent) {
  note_end();
  if (!connection_) return;
  if (is_silent) return std::exchange(connection_, nullptr)->vanish(Side::kAgent);
  std::exchange(connection_, nullptr)->close(Side::kAgent);
}

void SimLink::watch() {
  const auto deadline = connection_ ? delivery_.deadline() : std::nullopt;
  if (!deadline || *deadline == watched_) return;
  watched_ = *deadline;
  uses_.stage.schedule.at(watched_, [weak = weak_from_this(), attempt = attempt_] {
    const auto self = weak.lock();
    if (!self || attempt != self->attempt_) return;
    if (Status s = self->delivery_.check(self->uses_.stage.schedule.now()); !s)
      return self->end(s.error().message);
    self->watch();
  });
}

// Everything that an agent considers acknowledged must have been in the store.
void SimLink::check_acknowledged() {
  if (!delivery_.is_welcome()) return;
  const auto ever = uses_.server.ever_durable(series_of(spool_.id(), spool_.epoch()));
  const AgentProgress acknowledged = delivery_.acknowledged();
  if (acknowledged.position.seq > ever.seq || acknowledged.last().seq > ever.newest) {
    uses_.stage.report_violation(
        uses_.server.name() + " acknowledged " + std::to_string(acknowledged.position.seq) + " and " +
        std::to_string(acknowledged.last().seq) + ", but its store never had more than " +
        std::to_string(ever.seq) + " and " + std::to_string(ever.newest));
  }
}

// A gap must only cover batches that the spool no longer has.
void SimLink::check_gap(std::string_view output) {
  const FrameRead frame = read_frame(output);
  const auto gap = frame.type == FrameType::kGap ? decode_gap(frame.payload) : std::nullopt;
  if (!gap) return uses_.stage.report_violation("a gap was counted, but no gap frame was written");
  const auto fails = std::exchange(uses_.directory.fails, [](SpoolCall) { return false; });
  SpoolReader reader(spool_);
  reader.seek(gap->seq);
  const auto record = reader.next();
  uses_.directory.fails = fails;
  if (record && *record && (*record)->seq == gap->seq)
    uses_.stage.report_violation("a gap is sent up to batch " + std::to_string(gap->seq) +
                                 ", which the spool has");
  uses_.stage.note("a gap is sent up to batch " + std::to_string(gap->seq));
}

}  // namespace statmill::sim

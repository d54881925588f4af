#include "tests/sim/sim_session.h"

#include "tests/sim/sim_server.h"

namespace statmill::sim {
namespace {

using std::chrono::milliseconds;

constexpr Duration kRoomPoll = milliseconds(20);
constexpr Duration kPostedMax = milliseconds(30);  // until another thread's message arrives

}  // namespace

SimSession::SimSession(Stage& stage, std::shared_ptr<Connection> connection,
                       const AgentStream::Services& services, std::function<TickTime()> now)
    : stage_(stage),
      connection_(std::move(connection)),
      stream_(std::make_unique<AgentStream>(services, LineSender())),
      now_(std::move(now)) {}

std::shared_ptr<SimSession> SimSession::make(Stage& stage, const std::shared_ptr<Connection>& connection,
                                             const AgentStream::Services& services,
                                             std::function<TickTime()> now) {
  const std::shared_ptr<SimSession> session(new SimSession(stage, connection, services, std::move(now)));
  session->stream_->set_observer(session);
  const std::weak_ptr<SimSession> weak = session;
  connection->attach(Side::kServer, {.bytes =
                                         [weak](std::string_view bytes) {
                                           if (const auto self = weak.lock()) self->receive(bytes);
                                         },
                                     .room =
                                         [weak] {
                                           if (const auto self = weak.lock()) self->write();
                                         },
                                     .gone =
                                         [weak] {
                                           if (const auto self = weak.lock()) self->close();
                                         }});
  return session;
}

void SimSession::deliver_now() {
  if (is_open()) connection_->deliver_now(Side::kServer);
}

void SimSession::receive(std::string_view bytes) {
  if (!is_open()) return;
  unread_.append(bytes);
  if (!waits_for_room_) process_unread();
}

void SimSession::process_unread() {
  waits_for_room_ = false;
  if (!is_open()) return;
  unread_.erase(0, stream_->receive(unread_, now_()));
  waits_for_room_ = stream_->waits_for_room();
  if (waits_for_room_)
    stage_.schedule.after(kRoomPoll, [self = shared_from_this()] { self->process_unread(); });
  write();
}

void SimSession::write() {
  if (!is_open()) return;
  writing_ += stream_->pop_output();
  writing_.erase(0, connection_->write(Side::kServer, writing_));
  if (stream_->is_over() && writing_.empty()) close();
}

void SimSession::on_durable(AckFrame ack) {
  stage_.schedule.after(stage_.chance.duration(milliseconds(0), kPostedMax), [weak = weak_from_this(), ack] {
    const auto self = weak.lock();
    if (!self || !self->is_open()) return;
    self->stream_->on_durable(ack);
    self->write();
  });
}

void SimSession::on_ended(RefuseReason reason) {
  stage_.schedule.after(stage_.chance.duration(milliseconds(0), kPostedMax),
                        [weak = weak_from_this(), reason] {
                          const auto self = weak.lock();
                          if (!self || !self->is_open()) return;
                          self->stream_->refuse(reason);
                          self->write();
                        });
}

void SimSession::close() {
  if (!is_open()) return;
  stream_.reset();
  connection_->close(Side::kServer);
}

void SimSession::die(bool is_silent) {
  if (!is_open()) return;
  stream_.reset();
  if (is_silent) return connection_->vanish(Side::kServer);
  connection_->close(Side::kServer);
}

}  // namespace statmill::sim

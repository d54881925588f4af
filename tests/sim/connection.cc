#include "tests/sim/connection.h"

#include <algorithm>
#include <utility>

namespace statmill::sim {
namespace {

using std::chrono::milliseconds;

constexpr size_t kConversationMax = 64 << 10;

}  // namespace

Connection::Connection(Stage& stage)
    : stage_(stage),
      window_(stage.chance.one_in(3) ? stage.chance.between(400, 2000) : 64 << 10),
      piece_(stage.chance.one_in(2) ? stage.chance.between(1, 200) : 64 << 10),
      delay_(stage.chance.one_in(4) ? milliseconds(2000) : milliseconds(20)) {}

SteadyTime Connection::arrival(Lane& to) {
  to.last_arrival = std::max(
      to.last_arrival, stage_.schedule.now() + stage_.chance.duration(milliseconds(0), milliseconds(delay_)));
  return to.last_arrival;
}

size_t Connection::write(Side from, std::string_view bytes) {
  const Side to = other(from);
  Lane& lane_to = lane(to);
  const size_t written = std::min(bytes.size(), window_ - std::min(window_, lane_to.bytes));
  lane_to.is_writer_waiting = written < bytes.size();
  if (from == Side::kAgent && conversation_.size() + written <= kConversationMax)
    conversation_.append(bytes.substr(0, written));
  for (std::string_view rest = bytes.substr(0, written); !rest.empty();) {
    if (bytes_left_ && *bytes_left_ == 0) cut();
    size_t size = std::min(rest.size(), stage_.chance.between(1, piece_));
    if (bytes_left_) {
      size = std::min<uint64_t>(size, std::max<uint64_t>(*bytes_left_, 1));
      *bytes_left_ -= std::min<uint64_t>(*bytes_left_, size);
    }
    lane_to.bytes += size;
    if (!is_cut_) {  // otherwise they are lost, but still occupy the writer's buffer
      lane_to.pieces.emplace_back(rest.substr(0, size));
      stage_.schedule.at(arrival(lane_to), [self = shared_from_this(), to] { self->arrive(to); });
    }
    rest.remove_prefix(size);
  }
  return written;
}

void Connection::arrive(Side to) {
  Lane& lane_to = lane(to);
  if (is_cut_ || lane_to.pieces.empty() || !lane_to.reader) return;
  if (stage_.schedule.now() < lane_to.stalled_until) {
    stage_.schedule.at(lane_to.stalled_until, [self = shared_from_this(), to] { self->arrive(to); });
    return;
  }
  const std::string piece = std::move(lane_to.pieces.front());
  lane_to.pieces.pop_front();
  lane_to.bytes -= piece.size();
  const auto heard = lane_to.reader->bytes;  // a copy, because the callback may close the connection
  heard(piece);
  if (std::exchange(lane_to.is_writer_waiting, false)) {
    if (auto& writer = lane(other(to)).reader) {
      const auto room = writer->room;
      room();
    }
  }
}

void Connection::close(Side side) {
  if (!std::exchange(lane(side).reader, std::nullopt)) return;
  const Side peer = other(side);
  if (!is_cut_) notify_gone(peer, arrival(lane(peer)));
}

void Connection::vanish(Side side) {
  lane(side).reader.reset();
  cut();
}

void Connection::cut() {
  if (std::exchange(is_cut_, true)) return;
  for (Lane& one : lanes_) one.pieces.clear();
  for (const Side side : {Side::kAgent, Side::kServer}) {
    if (stage_.chance.one_in(3)) continue;  // this side never notices: half-open
    notify_gone(side, stage_.schedule.now() + stage_.chance.duration(milliseconds(0), milliseconds(5000)));
  }
}

// Notified after unread pieces, because a stalled reader sees those first.
void Connection::notify_gone(Side side, SteadyTime when) {
  stage_.schedule.at(when, [self = shared_from_this(), side] {
    Lane& lane_of_side = self->lane(side);
    if (!lane_of_side.reader) return;
    if (!self->is_cut_ && !lane_of_side.pieces.empty())
      return self->notify_gone(side, self->stage_.schedule.now() + milliseconds(50));
    const auto gone = lane_of_side.reader->gone;
    gone();
  });
}

}  // namespace statmill::sim

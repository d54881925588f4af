// Connection: a simulated TCP connection with its possible faults.
//
// Bytes arrive in order, delayed and in pieces of any size. The number of bytes in flight is limited; at the
// limit the writer waits. A connection may be cut at any byte: bytes in flight are lost, and each side
// notices it early, late or never.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tests/sim/stage.h"

namespace statmill::sim {

enum class Side : uint8_t { kAgent, kServer };

// Lives as long as an event refers to it. The stage must outlive it.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  // Callbacks of one side. None is called after the side has closed.
  struct End {
    std::function<void(std::string_view bytes)> bytes;
    std::function<void()> room;  // there is room to write again
    std::function<void()> gone;  // the other side has closed, or the side notices that the connection is cut
  };
  explicit Connection(Stage& stage);

  void attach(Side side, End end) { lane(side).reader = std::move(end); }
  // Returns how many bytes were accepted; there is no room for the rest yet.
  size_t write(Side from, std::string_view bytes);
  // Ends the callbacks of this side. The other side notices it after the bytes in flight.
  void close(Side side);
  // The side disappears, and the other side never notices.
  void vanish(Side side);
  // Cuts the connection after `bytes` more bytes in either direction.
  void cut_after(uint64_t bytes) { bytes_left_ = bytes; }
  void cut();
  // The side reads nothing until then.
  void stall(Side side, SteadyTime until) { lane(side).stalled_until = until; }
  // Delivers the next piece to this side now.
  void deliver_now(Side side) { arrive(side); }

  // Everything that the agent has written, up to a limit.
  const std::string& conversation() const { return conversation_; }
  bool is_dead() const { return is_cut_ || !lanes_[0].reader || !lanes_[1].reader; }

 private:
  // Pieces in flight to one side.
  struct Lane {
    std::optional<End> reader;
    std::deque<std::string> pieces;
    size_t bytes = 0;
    SteadyTime last_arrival{};
    SteadyTime stalled_until{};
    bool is_writer_waiting = false;
  };
  Lane& lane(Side to) { return lanes_[static_cast<size_t>(to)]; }
  static Side other(Side side) { return side == Side::kAgent ? Side::kServer : Side::kAgent; }
  SteadyTime arrival(Lane& to);
  void arrive(Side to);
  void notify_gone(Side side, SteadyTime when);

  Stage& stage_;
  const size_t window_;   // limit for bytes in flight in one direction
  const size_t piece_;    // maximum bytes per arrival
  const Duration delay_;  // maximum delay, without stalls
  std::array<Lane, 2> lanes_;
  std::optional<uint64_t> bytes_left_;
  bool is_cut_ = false;
  std::string conversation_;
};

}  // namespace statmill::sim

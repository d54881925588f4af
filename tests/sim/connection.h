// Connection: a TCP connection of the simulation, with what may become of one.
//
// Bytes arrive in order, late and in pieces of any size; only so many are under way, then the writer waits.
// It may be cut at any byte: what is under way is lost, and each side learns of it early, late or never.
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

// Lives as long as something of it is under way. The stage must outlive it.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  // What a side hears. Nothing more once it has closed.
  struct End {
    std::function<void(std::string_view bytes)> bytes;
    std::function<void()> room;  // there is room to write again
    std::function<void()> gone;  // the other side has closed, or the connection is known to be cut
  };
  explicit Connection(Stage& stage);

  void attach(Side side, End end) { lane(side).reader = std::move(end); }
  // Gives how many bytes are on their way; the others have no room yet.
  size_t write(Side from, std::string_view bytes);
  // The side hears nothing more; the other learns of it behind the bytes under way.
  void close(Side side);
  // The side has vanished: the other never learns of it.
  void vanish(Side side);
  // After so many more bytes in either direction nothing comes through any more.
  void cut_after(uint64_t bytes) { bytes_left_ = bytes; }
  void cut();
  // The side reads nothing until then.
  void stall(Side side, SteadyTime until) { lane(side).stalled_until = until; }
  // What comes next to the side comes now.
  void hurry(Side side) { arrive(side); }

  // All that the agent has written, up to a limit.
  const std::string& conversation() const { return conversation_; }
  bool is_dead() const { return is_cut_ || !lanes_[0].reader || !lanes_[1].reader; }

 private:
  // What is on its way to one side.
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
  void tell_gone(Side side, SteadyTime when);

  Stage& stage_;
  const size_t window_;   // bytes under way in one direction
  const size_t piece_;    // at most in one arrival
  const Duration delay_;  // at most, beside what stalls
  std::array<Lane, 2> lanes_;
  std::optional<uint64_t> bytes_left_;
  bool is_cut_ = false;
  std::string conversation_;
};

}  // namespace statmill::sim

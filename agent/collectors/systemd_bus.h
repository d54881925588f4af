// SystemdBus: asks systemd over the system's message bus how the host is doing.
//
// It asks only what is cheap: a few numbers, and the units that failed or are about to change. A list of all
// units would have hundreds of KiB, which process 1 would write and the agent read each time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

struct SystemdReport {
  // States of a unit other than active and inactive, and of the system.
  static constexpr std::array<std::string_view, 4> kUnitStates = {"failed", "activating", "deactivating",
                                                                  "reloading"};
  static constexpr std::array<std::string_view, 6> kSystemStates = {
      "initializing", "starting", "running", "degraded", "maintenance", "stopping"};
  static constexpr size_t kFailedMax = 50;

  std::string state;                                // of kSystemStates, unless systemd has a newer one
  uint32_t names = 0;                               // of loaded units, which may have several
  uint32_t jobs = 0;                                // that wait or run
  std::array<size_t, kUnitStates.size()> counts{};  // units by state
  std::vector<std::string> failed;                  // names of units, ascending, at most kFailedMax
  bool is_over_limit = false;                       // more than that failed
};

// Thread-safe: it keeps no connection, since anybody could fill one that nobody reads.
class SystemdBus {
 public:
  static constexpr Duration kLimit{5000};
  static constexpr size_t kMessagesMax = 1000;  // per read(), which needs about ten if nobody sends others

  // `socket` is the path of the bus: /run/dbus/system_bus_socket except in tests and containers. A read()
  // takes `limit` at most.
  explicit SystemdBus(std::string socket, Duration limit = kLimit)
      : socket_(std::move(socket)), limit_(limit) {}

  const std::string& socket() const { return socket_; }
  // Connects, asks, and closes the connection. Errors: kIo, with the path.
  Result<SystemdReport> read() const;

 private:
  const std::string socket_;
  const Duration limit_;
};

}  // namespace statmill

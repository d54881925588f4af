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
#include <vector>

#include "base/clock.h"
#include "base/result.h"

struct sd_bus;

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

// Confined to one thread at a time.
class SystemdBus {
 public:
  static constexpr Duration kLimit{5000};

  // `socket` is the path of the bus: /run/dbus/system_bus_socket except in tests and containers. A read()
  // takes `limit` at most.
  explicit SystemdBus(std::string socket, Duration limit = kLimit)
      : socket_(std::move(socket)), limit_(limit) {}
  ~SystemdBus() { disconnect(); }
  SystemdBus(const SystemdBus&) = delete;
  SystemdBus& operator=(const SystemdBus&) = delete;

  const std::string& socket() const { return socket_; }
  // Connects if necessary and keeps the connection, unless there is an error. Errors: kIo, with the path.
  Result<SystemdReport> read();

 private:
  class Deadline;
  Status connect(const Deadline& deadline);
  void disconnect();
  Result<uint32_t> number(const char* property, const Deadline& deadline);
  Status read_state(SystemdReport& report, const Deadline& deadline);
  Status list_units(SystemdReport& report, const Deadline& deadline);
  Error failure(std::string_view what, int error) const;

  const std::string socket_;
  const Duration limit_;
  sd_bus* bus_ = nullptr;
};

}  // namespace statmill

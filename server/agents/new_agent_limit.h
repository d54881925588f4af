// NewAgentLimit: limits how many new agents one address may add per minute.
//
// All addresses of an IPv6 /64 network count as one. At most kAddressesMax addresses are counted separately;
// all others share one count, so forged addresses gain nothing.
#pragma once

#include <cstddef>

#include "base/address_bytes.h"
#include "base/clock.h"
#include "proto/line_sender.h"

namespace statmill {

// Thread-compatible.
class NewAgentLimit {
 public:
  static constexpr size_t kAddressesMax = 10'000;
  static constexpr Duration kWindow = std::chrono::minutes(1);

  // `agents_max` 0: no limit.
  explicit NewAgentLimit(size_t agents_max) : agents_max_(agents_max) {}

  // Returns true if the sender's address may add a new agent. Senders without an address are not limited.
  bool has_room(const LineSender& sender, SteadyTime now);
  // Counts a new agent of the sender's address.
  void note(const LineSender& sender, SteadyTime now);

 private:
  struct Window {
    SteadyTime begin{};
    size_t agents = 0;
  };
  bool is_limited(const LineSender& sender) const {
    return agents_max_ > 0 && sender.kind == LineSender::Kind::kHost;
  }
  Window& window_of(const LineSender& sender, SteadyTime now);

  const size_t agents_max_;
  AddressMap<Window> windows_;
  Window others_;
};

}  // namespace statmill

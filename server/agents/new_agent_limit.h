// NewAgentLimit: how many new agents may come from one address in a minute.
//
// The addresses of an IPv6 network of 64 bits count as one. When kAddressesMax are counted at once, all
// others count as one address, so that made-up addresses gain nothing.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/clock.h"
#include "base/hash.h"
#include "proto/line_sender.h"

namespace statmill {

// Thread-compatible.
class NewAgentLimit {
 public:
  static constexpr size_t kAddressesMax = 10'000;
  static constexpr Duration kWindow = std::chrono::minutes(1);

  // `agents_max` 0: no limit.
  explicit NewAgentLimit(size_t agents_max) : agents_max_(agents_max) {}

  // Whether a new agent may come from the address. Senders without an address are not limited.
  bool has_room(const LineSender& sender, SteadyTime now);
  // A new agent has come from it.
  void note(const LineSender& sender, SteadyTime now);

 private:
  struct Window {
    SteadyTime begin{};
    size_t agents = 0;
  };
  using Address = LineSender::AddressBytes;
  struct Hash {
    size_t operator()(const Address& address) const {
      return hash_name({reinterpret_cast<const char*>(address.data()), address.size()});
    }
  };
  bool is_limited(const LineSender& sender) const {
    return agents_max_ > 0 && sender.kind == LineSender::Kind::kHost;
  }
  Window& window_of(const LineSender& sender, SteadyTime now);

  const size_t agents_max_;
  std::unordered_map<Address, Window, Hash> windows_;
  Window others_;
};

}  // namespace statmill

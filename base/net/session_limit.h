// SessionLimit: how many connections may be open at the same time, in all and of one client.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/address_bytes.h"
#include "base/mutex.h"

namespace statmill {

// Returns the bytes of an address (base/address_bytes.h).
AddressBytes address_bytes(const boost::asio::ip::address& address);

// Why a connection is closed at once.
enum class ConnectionRefusal : uint8_t {
  kLimit,         // as many are open as may be
  kAddressLimit,  // the same, of this client
  kDescriptors,   // the process has no descriptor left
  kDenied,        // its network may not connect
};
inline constexpr size_t kConnectionRefusalCount = 4;

// Copies share their counts, so that several listeners can share a limit. Thread-safe.
class SessionLimit {
  struct Counts;

 public:
  // `address_max`: of one client_network(); 0: half of `max`, so that nobody alone can shut out all others.
  explicit SessionLimit(size_t max, size_t address_max = 0)
      : max_(max),
        address_max_(address_max > 0 ? address_max : std::max<size_t>(max / 2, 1)),
        counts_(std::make_shared<Counts>()) {}

  // An open session, which counts until this is destroyed.
  class Place {
   public:
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

   private:
    friend class SessionLimit;
    Place(const SessionLimit& limit, const std::optional<AddressBytes>& client);

    std::shared_ptr<Counts> counts_;       // null: moved from
    std::optional<AddressBytes> network_;  // of the client, if it is counted
  };

  size_t count() const { return counts_->all.load(std::memory_order_relaxed); }
  size_t max() const { return max_; }
  // Sessions of one client.
  size_t count_of(const AddressBytes& client) const;
  // Returns why one more session of the client is too many, if it is. A client without an address, as at a
  // unix socket, has no limit of its own. Does not take the place: one thread asks, then enters.
  std::optional<ConnectionRefusal> refusal(const std::optional<AddressBytes>& client) const;
  Place enter(const std::optional<AddressBytes>& client) const { return {*this, client}; }

 private:
  struct Counts {
    // Written when a session begins or ends, read by all. Relaxed: it guards no other memory.
    std::atomic<size_t> all{0};
    Mutex mutex;
    AddressMap<size_t> clients GUARDED_BY(mutex);  // with at least one session each
  };

  size_t max_;
  size_t address_max_;
  std::shared_ptr<Counts> counts_;
};

}  // namespace statmill

// NetworkFilter: which addresses may connect or send to a port.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/address_bytes.h"
#include "base/mutex.h"
#include "base/result.h"

namespace statmill {

// An address or a network, such as 10.1.0.0/16 or 2001:db8::/32.
struct Network {
  AddressBytes address{};
  unsigned prefix_bits = 0;  // of `address`; 96 more than written for IPv4

  // Errors: kInvalid if `text` is no network, or has bits outside its prefix.
  static Result<Network> parse(std::string_view text);
  bool contains(const AddressBytes& other) const;
};

struct NetworkLists {
  std::vector<Network> allow;  // empty: all
  std::vector<Network> deny;   // wins over `allow`

  bool admit(const AddressBytes& address) const;
  bool are_empty() const { return allow.empty() && deny.empty(); }
};

// Lists that can be replaced while they are used. Thread-safe.
class NetworkFilter {
 public:
  explicit NetworkFilter(NetworkLists lists = {}) { set(std::move(lists)); }

  void set(NetworkLists lists);
  // Null: all are admitted. For many addresses at once.
  std::shared_ptr<const NetworkLists> lists() const;
  bool admits(const AddressBytes& address) const {
    const auto now = lists();
    return now == nullptr || now->admit(address);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const NetworkLists> lists_ GUARDED_BY(mutex_);
};

}  // namespace statmill

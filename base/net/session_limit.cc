#include "base/net/session_limit.h"

namespace statmill {

AddressBytes address_bytes(const boost::asio::ip::address& address) {
  namespace ip = boost::asio::ip;
  return (address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6()).to_bytes();
}

SessionLimit::Place::Place(const SessionLimit& limit, const std::optional<AddressBytes>& client)
    : counts_(limit.counts_) {
  counts_->all.fetch_add(1, std::memory_order_relaxed);
  if (!client) return;
  network_ = client_network(*client);
  MutexLock lock(counts_->mutex);
  ++counts_->clients[*network_];
}

SessionLimit::Place::~Place() {
  if (counts_ == nullptr) return;
  counts_->all.fetch_sub(1, std::memory_order_relaxed);
  if (!network_) return;
  MutexLock lock(counts_->mutex);
  const auto found = counts_->clients.find(*network_);
  if (--found->second == 0) counts_->clients.erase(found);
}

size_t SessionLimit::count_of(const AddressBytes& client) const {
  MutexLock lock(counts_->mutex);
  const auto found = counts_->clients.find(client_network(client));
  return found == counts_->clients.end() ? 0 : found->second;
}

std::optional<ConnectionRefusal> SessionLimit::refusal(const std::optional<AddressBytes>& client) const {
  // The client's own limit first: what it has too much of costs no other client a place.
  if (client && address_max_ < max_ && count_of(*client) >= address_max_)
    return ConnectionRefusal::kAddressLimit;
  if (count() >= max_) return ConnectionRefusal::kLimit;
  return std::nullopt;
}

}  // namespace statmill

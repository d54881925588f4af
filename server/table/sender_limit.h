// SenderLimit: how many series each sender may make.
//
// Counted since the start, by address without port; a series that is deleted is not given back. Everyone who
// comes when kSendersMax are known counts as one more sender, so that made-up addresses gain nothing.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/hash.h"
#include "base/mutex.h"
#include "proto/line_sender.h"

namespace statmill {

// Thread-safe. Its lock is taken inside a shard's; nothing is locked inside it.
class SenderLimit {
 public:
  static constexpr size_t kSendersMax = 100'000;  // about 8 MB

  // `series_max` 0: no limit.
  explicit SenderLimit(size_t series_max) : series_max_(series_max) {}

  // Whether the sender may make one more series, which then counts. The server's own series are not limited.
  bool admit(const LineSender& sender);
  // How many are counted on their own; none without a limit.
  size_t sender_count() const;

 private:
  using Address = LineSender::AddressBytes;
  struct Hash {
    size_t operator()(const Address& address) const {
      return hash_name({reinterpret_cast<const char*>(address.data()), address.size()});
    }
  };
  size_t& count_of(const LineSender& sender) REQUIRES(mutex_);

  const size_t series_max_;
  mutable Mutex mutex_;
  std::unordered_map<Address, size_t, Hash> hosts_ GUARDED_BY(mutex_);
  size_t http_ GUARDED_BY(mutex_) = 0;
  size_t other_hosts_ GUARDED_BY(mutex_) = 0;
};

}  // namespace statmill

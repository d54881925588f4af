// SenderLimit: limits how many series each sender may create.
//
// It counts from the server's start, by address without port; deleting a series does not lower the count.
// Once kSendersMax senders are known, all others share one count, so that made-up addresses gain nothing.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/hash.h"
#include "base/mutex.h"
#include "base/process_hash.h"
#include "proto/line_sender.h"

namespace statmill {

// Thread-safe. Lock order: a shard's lock, then this one; no lock is acquired while it is held.
class SenderLimit {
 public:
  static constexpr size_t kSendersMax = 100'000;  // about 8 MB

  // A `series_max` of 0 means no limit.
  explicit SenderLimit(size_t series_max) : series_max_(series_max) {}

  // Returns whether the sender may create one more series, and counts it if so. The server's own series are
  // not limited.
  bool admit(const LineSender& sender);
  // Senders that have a count of their own; 0 if there is no limit.
  size_t sender_count() const;

 private:
  using Address = LineSender::AddressBytes;
  struct Hash {
    size_t operator()(const Address& address) const {
      return process_hash()({reinterpret_cast<const char*>(address.data()), address.size()});
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

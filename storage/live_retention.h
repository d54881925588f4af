// LiveRetention: the retention in use. A reload replaces it at one instant, while others read it.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "storage/retention.h"

namespace statmill {

// Thread-safe, but set() must be called on one thread.
class LiveRetention {
 public:
  explicit LiveRetention(Retention first) : all_(one(std::move(first))), current_(all_.front().get()) {}

  // Returns the retention in use. The reference is valid as long as this object, whatever replaces it. Work
  // that must agree with itself calls this once.
  const Retention& get() const { return *current_.load(std::memory_order_acquire); }
  // Requires: it differs from the one in use in times only. Memory: all that were ever in use are kept, since
  // readers may refer to them: about 500 bytes per class.
  void set(Retention next) {
    SM_CHECK(get().differs_in_times_only(next));
    current_.store(all_.emplace_back(std::make_unique<Retention>(std::move(next))).get(),
                   std::memory_order_release);
  }

 private:
  using All = std::vector<std::unique_ptr<const Retention>>;
  static All one(Retention first) {
    All all;
    all.push_back(std::make_unique<Retention>(std::move(first)));
    return all;
  }

  All all_;  // used by the writer only
  // The writer stores it, anyone reads it. Release and acquire: a reader sees the retention that it points
  // to.
  std::atomic<const Retention*> current_;
};

}  // namespace statmill

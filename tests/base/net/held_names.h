// HeldNames: lookups of names that do not return until they are released.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/net/name_lookups.h"

namespace statmill {

class HeldNames {
 public:
  ~HeldNames() {
    release_all();
    wait_until_forgotten();
  }

  NameLookups::Find find() {
    return [shared = shared_](const std::string& host, const std::string&) { return shared->find(host); };
  }
  // Waits until the name is looked up.
  void wait_for(const std::string& host) {
    const MutexLock lock(shared_->mutex);
    while (std::find(shared_->asked.begin(), shared_->asked.end(), host) == shared_->asked.end())
      shared_->changed.wait(shared_->mutex);
  }
  // All lookups, also later ones, find one address.
  void release_all() {
    const MutexLock lock(shared_->mutex);
    shared_->is_released = true;
    shared_->changed.notify_all();
  }
  // Waits until no other has find(): the threads of lookups have ended.
  void wait_until_forgotten() const {
    while (shared_.use_count() > 1) std::this_thread::yield();
  }
  std::vector<std::string> asked() const {
    const MutexLock lock(shared_->mutex);
    return shared_->asked;
  }

 private:
  struct Shared {
    Result<NameLookups::Addresses> find(const std::string& host) {
      const MutexLock lock(mutex);
      asked.push_back(host);
      changed.notify_all();
      while (!is_released) changed.wait(mutex);
      return NameLookups::Addresses(1);
    }

    Mutex mutex;
    Condition changed;
    std::vector<std::string> asked GUARDED_BY(mutex);
    bool is_released GUARDED_BY(mutex) = false;
  };

  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace statmill

// WeakList: a list of objects that others own; calls a function for each that is still alive.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace statmill {

// Not thread-safe. Holds at most 64 more entries than twice the number of live objects.
template <class T>
class WeakList {
 public:
  // Amortized constant time.
  void add(const std::shared_ptr<T>& object) {
    if (entries_.size() >= prune_at_) {
      std::erase_if(entries_, [](const std::weak_ptr<T>& entry) { return entry.expired(); });
      prune_at_ = 2 * entries_.size() + kKept;
    }
    entries_.push_back(object);
  }

  template <class Call>
  void for_each(Call call) const {
    for (const std::weak_ptr<T>& entry : entries_) {
      if (const std::shared_ptr<T> object = entry.lock()) call(*object);
    }
  }

  size_t entries() const { return entries_.size(); }

 private:
  static constexpr size_t kKept = 64;

  std::vector<std::weak_ptr<T>> entries_;
  size_t prune_at_ = kKept;
};

}  // namespace statmill

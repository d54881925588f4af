// WeakList: objects that live as long as somebody else wants, to be called while they do.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace statmill {

// Confined to one thread. Holds at most twice as many entries as there are objects alive, and 64.
template <class T>
class WeakList {
 public:
  // Constant, amortised.
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

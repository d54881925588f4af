// Family: instruments of one path told apart by labels whose values come at run time.
//
//   static statmill::Family<statmill::Counter, 2> requests{"http.requests", "Requests answered.", {"method",
//   "code"}}; statmill::Counter& ok = requests.with({"get", "200"});   // once ok.add(); // each time
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include "statmill/registry.h"

namespace statmill {

// Thread-safe. Members live as long as the family.
template <class Member, size_t kLabels>
class Family {
  static_assert(kLabels > 0);

 public:
  using Keys = std::array<std::string, kLabels>;
  using Values = std::array<std::string_view, kLabels>;
  static constexpr size_t kMembersMax = 1000;
  // Every label of the member that stands for all beyond the limit.
  static constexpr std::string_view kOther = "other";

  // `help` must outlive it. `members_max`: values that come from outside must not fill the memory.
  Family(std::string path, const char* help, Keys keys, size_t members_max = kMembersMax,
         Registry* registry = nullptr)
      : path_(std::move(path)),
        help_(help),
        keys_(std::move(keys)),
        members_max_(members_max),
        registry_(registry) {}

  // The member of these values, made when it is asked for first; beyond the limit the one whose values are
  // all "other". Cost: a lock that is shared and a search, some 100 ns: keep the reference where it matters.
  Member& with(const Values& values) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = members_.find(values); found != members_.end()) return found->second->instrument;
    }
    const std::unique_lock lock(mutex_);
    if (const auto found = members_.find(values); found != members_.end()) return found->second->instrument;
    if (members_.size() < members_max_) return add(values);
    ++beyond_limit_;
    Values other;
    other.fill(kOther);
    const auto found = members_.find(other);
    return found != members_.end() ? found->second->instrument : add(other);
  }

  size_t size() const {
    const std::shared_lock lock(mutex_);
    return members_.size();
  }
  // Times that "other" was given in place of a member.
  uint64_t beyond_limit() const {
    const std::shared_lock lock(mutex_);
    return beyond_limit_;
  }

 private:
  struct Made {
    Made(std::string full_name, const char* help, Registry* registry)
        : name(std::move(full_name)), instrument(name.c_str(), help, registry) {}
    const std::string name;
    Member instrument;
  };
  using OwnValues = std::array<std::string, kLabels>;
  struct Less {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                          [](std::string_view x, std::string_view y) { return x < y; });
    }
  };

  // Requires: the lock is held, and not shared.
  Member& add(const Values& values) {
    OwnValues own;
    Labels labels;
    for (size_t i = 0; i < kLabels; ++i) {
      own[i] = values[i];
      labels.emplace_back(keys_[i], own[i]);
    }
    auto made = std::make_unique<Made>(name_with(path_, std::move(labels)), help_, registry_);
    return members_.emplace(std::move(own), std::move(made)).first->second->instrument;
  }

  const std::string path_;
  const char* const help_;
  const Keys keys_;
  const size_t members_max_;
  Registry* const registry_;
  mutable std::shared_mutex mutex_;
  std::map<OwnValues, std::unique_ptr<Made>, Less> members_;
  uint64_t beyond_limit_ = 0;
};

}  // namespace statmill

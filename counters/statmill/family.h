// Family: instruments with one name and a set of labels whose values are known only at run time.
//
//   static statmill::Family<statmill::Counter, 2> requests{
//       "http.requests", "Requests answered.", {"method", "code"}};
//   statmill::Counter& ok = requests.with({"get", "200"});  // look it up once
//   ok.add();                                               // use it often
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
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
  // The value of every label of the member that counts for all values beyond the limit.
  static constexpr std::string_view kOther = "other";

  // `help` and `registry` must outlive the family. `members_max` bounds memory when label values come from
  // outside.
  Family(std::string path, const Help& help, Keys keys, size_t members_max = kMembersMax,
         Registry* registry = nullptr)
      : path_(std::move(path)),
        help_(help),
        keys_(std::move(keys)),
        members_max_(members_max),
        registry_(registry) {}

  // Returns the member with these label values and creates it on the first call. Once there are `members_max`
  // members, returns the one whose values are all "other" instead of a new one. Cost: a shared lock and a
  // lookup, about 200 ns: keep the reference where that matters.
  Member& with(const Values& values) {
    const std::string name = name_of(values);
    {
      const std::shared_lock lock(mutex_);
      if (Member* const known = find(name)) return *known;
    }
    const std::unique_lock lock(mutex_);
    if (Member* const known = find(name)) return *known;
    if (members_.size() < members_max_) return add(name);
    ++beyond_limit_;
    Values other;
    other.fill(kOther);
    const std::string others = name_of(other);
    Member* const known = find(others);
    return known != nullptr ? *known : add(others);
  }

  size_t size() const {
    const std::shared_lock lock(mutex_);
    return members_.size();
  }
  // How often with() returned "other" in place of a new member.
  uint64_t beyond_limit() const {
    const std::shared_lock lock(mutex_);
    return beyond_limit_;
  }

 private:
  struct Made {
    Made(std::string full_name, const Help& help, Registry* registry)
        : name(std::move(full_name)), instrument(name.c_str(), help, registry) {}
    const std::string name;
    Member instrument;
  };

  // The full name of a member. Values that differ only in bytes that a name cannot hold share a member.
  std::string name_of(const Values& values) const {
    Labels labels;
    for (size_t i = 0; i < kLabels; ++i) labels.emplace_back(keys_[i], values[i]);
    return name_with(path_, std::move(labels));
  }
  Member* find(const std::string& name) {
    const auto found = members_.find(name);
    return found == members_.end() ? nullptr : &found->second->instrument;
  }
  // Requires: the lock is held exclusively.
  Member& add(const std::string& name) {
    return members_.emplace(name, std::make_unique<Made>(name, help_, registry_)).first->second->instrument;
  }

  const std::string path_;
  const Help help_;
  const Keys keys_;
  const size_t members_max_;
  Registry* const registry_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Made>> members_;  // by name
  uint64_t beyond_limit_ = 0;
};

}  // namespace statmill

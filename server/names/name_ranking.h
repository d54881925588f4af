// NameRanking: the best names of a search: by score, then by length, then by name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace statmill {

struct RankedName {
  unsigned score = 0;
  std::string name;
};

// Keeps the best `limit` names. It keeps those that came first, if several are equal in score and length.
class NameRanking {
 public:
  explicit NameRanking(size_t limit) : limit_(limit) {}

  // Return true if a name with this score may be among the best; if one with this score and length is.
  bool may_have(unsigned score) const {
    return names_.size() < limit_ || (limit_ > 0 && score >= names_.front().score);
  }
  bool has_room(unsigned score, size_t length) const {
    return names_.size() < limit_ || (limit_ > 0 && is_better(score, length, names_.front()));
  }
  void add(unsigned score, std::string_view name) {
    if (!has_room(score, name.size())) return;
    if (names_.size() == limit_) {
      std::pop_heap(names_.begin(), names_.end(), is_before);
      names_.pop_back();
    }
    names_.push_back({score, std::string(name)});
    std::push_heap(names_.begin(), names_.end(), is_before);
  }
  size_t size() const { return names_.size(); }
  // The best first.
  std::vector<RankedName> sorted() && {
    std::sort(names_.begin(), names_.end(), [](const RankedName& a, const RankedName& b) {
      if (is_before(a, b) || is_before(b, a)) return is_before(a, b);
      return a.name < b.name;
    });
    return std::move(names_);
  }

 private:
  static bool is_better(unsigned score, size_t length, const RankedName& other) {
    return score != other.score ? score > other.score : length < other.name.size();
  }
  static bool is_before(const RankedName& a, const RankedName& b) {
    return is_better(a.score, a.name.size(), b);
  }

  const size_t limit_;
  std::vector<RankedName> names_;  // a heap whose front is the worst
};

}  // namespace statmill

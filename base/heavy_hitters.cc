#include "base/heavy_hitters.h"

#include <algorithm>

#include "base/check.h"

namespace statmill {

HeavyHitters::HeavyHitters(size_t limit) : limit_(limit) { SM_CHECK(limit >= 2); }

void HeavyHitters::add(std::string_view key, uint64_t weight) {
  if (weight == 0) return;
  total_ += weight;
  if (const auto it = counts_.find(key); it != counts_.end()) {
    it->second += weight;
    return;
  }
  if (counts_.size() == limit_) make_room();
  counts_.emplace(key, weight);
}

void HeavyHitters::make_room() {
  std::vector<uint64_t> sorted;
  sorted.reserve(counts_.size());
  for (const auto& [key, count] : counts_) sorted.push_back(count);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const uint64_t median = *middle;
  missed_ += median;
  std::erase_if(counts_, [median](const auto& entry) { return entry.second <= median; });
  for (auto& [key, count] : counts_) count -= median;
}

std::vector<HeavyHitters::Hitter> HeavyHitters::top(size_t most) const {
  std::vector<Hitter> out;
  out.reserve(counts_.size());
  for (const auto& [key, count] : counts_) out.push_back({key, count});
  const size_t shown = std::min(most, out.size());
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(shown), out.end(),
                    [](const Hitter& a, const Hitter& b) {
                      return a.count != b.count ? a.count > b.count : a.key < b.key;
                    });
  out.resize(shown);
  return out;
}

}  // namespace statmill

#include "proto/refusal_counts.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace statmill {

std::string refusals_text(const std::array<uint64_t, kRefusalCount>& refused) {
  std::vector<std::pair<uint64_t, std::string_view>> counts;
  for (size_t i = 0; i < refused.size(); ++i) {
    if (refused[i] > 0) counts.emplace_back(refused[i], refusal_label(static_cast<Refusal>(i)));
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [count, label] : counts)
    out.append(out.empty() ? "" : ", ").append(std::to_string(count)).append(" ").append(label);
  return out;
}

}  // namespace statmill

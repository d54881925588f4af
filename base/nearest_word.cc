#include "base/nearest_word.h"

#include <algorithm>
#include <array>

namespace statmill {
namespace {

constexpr size_t kBytesMax = 64;
constexpr size_t kDistanceMax = 3;
constexpr size_t kBeginBytesMin = 3;

// The restricted Damerau-Levenshtein distance, in three rows of its matrix.
size_t distance(std::string_view a, std::string_view b) {
  using Row = std::array<size_t, kBytesMax + 1>;
  Row before_last{};
  Row last{};
  Row row{};
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
  std::string_view nearest;
  size_t least = std::min(kDistanceMax, word.size() / 3) + 1;
  if (word.size() > kBytesMax) return nearest;
  for (const std::string_view candidate : known) {
    if (candidate.size() > kBytesMax) continue;
    const size_t differs = distance(word, candidate);
    if (differs >= least) continue;
    least = differs;
    nearest = candidate;
  }
  if (!nearest.empty() || word.size() < kBeginBytesMin) return nearest;
  const auto begins =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.starts_with(word); });
  return begins != known.end() ? *begins : nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::string_view dashes) {
  const std::string_view nearest = nearest_word(word, known);
  return nearest.empty() ? std::string()
                         : "; did you mean " + std::string(dashes) + std::string(nearest) + "?";
}

}  // namespace statmill

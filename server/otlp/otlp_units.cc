#include "server/otlp/otlp_units.h"

#include <algorithm>
#include <array>
#include <utility>

#include "proto/family.h"

namespace statmill {
namespace {

constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>({{"By", "bytes"},
                                                                                      {"bit", "bits"},
                                                                                      {"%", "percent"},
                                                                                      {"Cel", "celsius"},
                                                                                      {"Hz", "hertz"},
                                                                                      {"V", "volts"},
                                                                                      {"A", "amperes"},
                                                                                      {"W", "watts"},
                                                                                      {"J", "joules"},
                                                                                      {"1", ""}});

// Without what is in braces after it, which is a comment: "By{rss}".
std::string_view word_of(std::string_view part) {
  const size_t brace = part.find('{');
  if (brace == 0 && part.ends_with('}')) return part.substr(1, part.size() - 2);
  part = part.substr(0, brace);
  const auto* const known = std::ranges::find(kWords, part, [](const auto& word) { return word.first; });
  return known == kWords.end() ? part : known->second;
}

}  // namespace

std::string unit_of_ucum(std::string_view ucum) {
  const size_t slash = ucum.find('/');
  std::string out(word_of(ucum.substr(0, slash)));
  if (slash != std::string_view::npos) {
    const std::string_view per = word_of(ucum.substr(slash + 1));
    if (out.empty() || per.empty()) return {};
    out.append("/").append(per);
  }
  return is_unit(out) ? out : std::string();
}

}  // namespace statmill

// Reads any bytes as what Go's client pushes: the text is bounded, and of one line for each sample and each
// piece of metadata; whatever names and labels have, they add no lines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "proto/prometheus/exposition_reader.h"
#include "proto/prometheus/metric_families.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/proto/tag_laws.h"

namespace {

using namespace statmill;

constexpr size_t kTextBytesMax = size_t{1} << 16;

// Each line begins as the writer begins it.
void check_lines(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    SM_CHECK(end != std::string_view::npos);
    const std::string_view line = text.substr(0, end);
    SM_CHECK(line.starts_with("{\"") || line.starts_with("# TYPE \"") || line.starts_with("# HELP \""));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ExactCopy bytes({reinterpret_cast<const char*>(data), size});
  const auto text = text_of_metric_families(bytes.text(), kTextBytesMax);
  if (!text) return 0;
  SM_CHECK(text->size() <= kTextBytesMax);
  check_lines(*text);
  const CostBound bound(text->size());
  ExpositionReader reader(*text, ExpositionFormat::kMetricFamilies);
  size_t items = 0;
  while (reader.next() != ExpositionReader::Item::kEnd) ++items;
  SM_CHECK(items <= static_cast<size_t>(std::ranges::count(*text, '\n')));
  return 0;
}

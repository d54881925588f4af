// Any bytes as a stored name: reading its labels ends, and the canonical name of the labels has the same
// labels. The lines of the input as labels: they come back from their canonical name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "proto/prometheus/labels_name.h"
#include "tests/proto/tag_laws.h"

namespace {

void check_name(std::string_view text) {
  using namespace statmill;
  const LabelPairs labels = labels_of(text);
  const auto name = canonical_name(labels);
  if (!name) return;
  SM_CHECK(is_canonical_name(*name));
  // A label whose value is empty is the same as none.
  LabelPairs wanted = labels;
  std::erase_if(wanted, [](const LabelPair& label) { return label.second.empty(); });
  SM_CHECK(labels_of(*name) == wanted);
}

void check_labels(std::string_view text) {
  using namespace statmill;
  LabelPairs labels;
  for (const std::string_view line : split(text, '\n')) {
    const size_t assign = std::min(line.find('='), line.size());
    labels.push_back(
        {std::string(line.substr(0, assign)), std::string(line.substr(std::min(assign + 1, line.size())))});
  }
  const auto name = canonical_name(labels);
  if (!name) return;
  SM_CHECK(is_canonical_name(*name));
  std::erase_if(labels, [](const LabelPair& label) { return label.second.empty(); });
  std::sort(labels.begin(), labels.end());
  SM_CHECK(labels_of(*name) == labels);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_name(text);
  check_labels(text);
  return 0;
}

// Reads any bytes as an answer to a scrape, in both formats: samples are as the reader promises, the cost is
// linear, and a canonical name can be made of each sample, or is refused.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "proto/exemplar.h"
#include "proto/prometheus/exposition_reader.h"
#include "proto/prometheus/labels_name.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/proto/tag_laws.h"

namespace {

using namespace statmill;

void check_sample(const ExpositionSample& sample) {
  SM_CHECK(!sample.name.empty());
  SM_CHECK(sample.labels.size() <= ExpositionReader::kLabelsMax);
  if (sample.special) {
    SM_CHECK(!std::isfinite(*sample.special));
  } else {
    SM_CHECK(is_sane(sample.value));
  }
  SM_CHECK(!sample.exemplar || !sample.has_bad_exemplar);
  if (sample.exemplar) {
    SM_CHECK(is_sane(sample.exemplar->value));
    SM_CHECK(sample.exemplar->labels.size() <= ExpositionReader::kLabelsMax);
    const EncodedLabels encoded = encode_exemplar_labels(sample.exemplar->labels);
    SM_CHECK(encoded.refusal || decode_exemplar_labels(encoded.text));
  }
  LabelPairs labels = {{std::string(kNameLabel), std::string(sample.name)}};
  for (const LabelView& label : sample.labels) labels.emplace_back(label.name, label.value);
  if (const auto name = canonical_name(labels)) SM_CHECK(is_canonical_name(*name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ExactCopy bytes({reinterpret_cast<const char*>(data), size});
  const CostBound bound(size);
  for (const ExpositionFormat format : {ExpositionFormat::kText, ExpositionFormat::kOpenMetrics}) {
    ExpositionReader reader(bytes.text(), format);
    size_t items = 0;
    for (auto item = reader.next(); item != ExpositionReader::Item::kEnd; item = reader.next()) {
      ++items;
      if (item == ExpositionReader::Item::kSample) check_sample(reader.sample());
      if (item != ExpositionReader::Item::kFault) SM_CHECK(!reader.family().name.empty());
    }
    SM_CHECK(items <= reader.line_number());
  }
  return 0;
}

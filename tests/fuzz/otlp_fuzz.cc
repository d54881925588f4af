// Any bytes as a request of OTLP: in the encoding of protobuf, or, after a first byte that is not 0, in that
// of JSON. Decoding ends within a cost that is linear in the bytes, in memory too, and a histogram that is
// accepted becomes a sample with all of its counts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "proto/batch.h"
#include "proto/otlp/metrics.h"
#include "proto/otlp/otlp_json.h"
#include "tests/fuzz/cost_bound.h"

namespace {

using namespace statmill;

class CheckParts final : public OtlpVisitor {
 public:
  void begin_resource(const OtlpAttributes& resource) override { check(resource); }
  void end_resource() override {}
  void begin_scope(std::string_view) override {}
  void begin_metric(const OtlpMetric& metric) override {
    SM_CHECK(metric.temporality <= OtlpTemporality::kCumulative);
  }
  void add_number(const OtlpPoint& point, const OtlpNumber& number) override {
    check(point.attributes);
    SM_CHECK(!number.real || !number.integer);
  }
  void add_histogram(const OtlpPoint& point, const OtlpHistogram& sent) override {
    check(point.attributes);
    const ForeignHistogram& histogram = sent.histogram;
    SM_CHECK(histogram.buckets.size() <= 2 * kSentBucketsMax + 1);
    if (sent.verdict.is_refused() || histogram.count == 0) return;
    batch_.clear();
    const ReadyHistogram ready = ready_histogram(histogram, batch_);
    uint64_t count = 0;
    HistogramIndex before = -kHistogramIndexMax - 1;
    for (const HistogramCell& cell : ready.ready->cells) {
      SM_CHECK(is_histogram_index(cell.index) && before < cell.index && cell.count > 0);
      before = cell.index;
      count += cell.count;
    }
    SM_CHECK(count == histogram.count);
  }
  void add_summary(const OtlpPoint& point, const OtlpSummary& summary) override {
    check(point.attributes);
    SM_CHECK(summary.quantiles.size() <= kOtlpQuantilesMax);
  }
  void add_exemplar(const OtlpExemplar& exemplar) override {
    check(exemplar.attributes);
    SM_CHECK(!exemplar.number.real || !exemplar.number.integer);
  }

 private:
  static void check(const OtlpAttributes& attributes) {
    SM_CHECK(attributes.labels.size() <= kOtlpAttributesMax);
    SM_CHECK(attributes.has_all || attributes.labels.size() == kOtlpAttributesMax);
  }

  Batch batch_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const CostBound bound(size);
  CheckParts parts;
  if (data[0] == 0) {
    static_cast<void>(decode_otlp_metrics(bytes, parts));
    return 0;
  }
  const auto message = otlp_json_to_protobuf(bytes);
  if (!message) return 0;
  SM_CHECK(message->size() <= 5 * bytes.size());
  // An attribute may be deeper than the decoder reads, and an offset larger.
  static_cast<void>(decode_otlp_metrics(*message, parts));
  return 0;
}

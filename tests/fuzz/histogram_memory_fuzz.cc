// Any bytes as what is remembered of a cumulative histogram: it is refused, or read and of use for the next
// histogram, of which no more is added than it has.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/prometheus/histogram_step.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto remembered = decode_histogram(bytes);
  if (remembered) SM_CHECK(remembered->histogram.buckets.size() <= size);
  ForeignHistogram next;
  next.is_exponential = true;
  next.zero_threshold = 0.25;
  next.buckets = {{exponential_bucket(-1, true), 3}, {0, 5}, {exponential_bucket(7, false), 9}};
  next.count = 17;
  LastValue last;
  last.is_counter = true;
  last.time_ms = 1000;
  last.histogram = std::make_shared<const std::string>(bytes);
  const HistogramStep step = histogram_step(next, {{}, 2000, 0, 0}, false, last);
  if (step.kind == HistogramStepKind::kDifference) SM_CHECK(step.difference.count <= next.count);
  const auto read = decode_histogram(*last.histogram);
  SM_CHECK(read && read->histogram.buckets == next.buckets);
  return 0;
}

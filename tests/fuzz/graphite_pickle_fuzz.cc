// Parses any bytes as a pickle of Graphite: the counts add up, names are canonical, and the cost is linear.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "proto/graphite/pickle_parser.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/proto/tag_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const ExactCopy bytes({reinterpret_cast<const char*>(data), size});
  const CostBound bound(size);
  Batch batch;
  const std::string fault = parse_graphite_pickle(bytes.text(), batch);
  SM_CHECK(account_holds(batch));
  SM_CHECK(batch.received <= pickle_samples_max(size));
  SM_CHECK(fault.empty() || (batch.received == 1 && batch.samples.empty()));
  for (const Sample& sample : batch.samples) SM_CHECK(is_sane_tagged(sample));
  return 0;
}

// Any bytes as a datagram of statsd: the account holds, names are canonical, marks point at their samples,
// and lines mean the same one by one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "tests/proto/statsd/laws.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  SM_CHECK(law_broken_by_statsd(bytes).empty());
  return 0;
}

// Parses any bytes as a statsd datagram: the counts add up, names are canonical, marks point at their
// samples, and parsing line by line has the same result.
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

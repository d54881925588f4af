// Any bytes as a datagram of statsd: the account holds, names are canonical, marks point at their samples,
// and lines mean the same one by one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "proto/statsd_lines.h"
#include "tests/proto/statsd_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  StatsdBatch whole;
  parse_statsd_lines(bytes, whole);
  SM_CHECK(account_holds(whole.batch));
  SM_CHECK(is_sane(whole));
  SM_CHECK(is_same_line_by_line(whole, bytes, parse_statsd_line));
  return 0;
}

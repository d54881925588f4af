// Decodes any text as a spool identity, as it is and with a valid checksum: it is refused, or survives a
// round trip.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include "agent/spool/identity.h"
#include "base/check.h"
#include "base/hash.h"

namespace {

using namespace statmill;

void try_identity(const std::string& text) {
  const auto identity = decode_identity(text);
  if (!identity) {
    SM_CHECK(identity.error().code == ErrorCode::kCorrupt || identity.error().code == ErrorCode::kVersion);
    return;
  }
  SM_CHECK(identity->epoch > 0 && identity->epoch < std::numeric_limits<uint32_t>::max());
  const auto again = decode_identity(encode_identity(*identity));
  SM_CHECK(again.has_value());
  SM_CHECK(*again == *identity);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_identity(text);
  std::array<char, 16> checksum{};
  std::snprintf(checksum.data(), checksum.size(), "crc %08x\n", static_cast<unsigned>(crc32c(text)));
  try_identity(text + checksum.data());
  return 0;
}

// Reads any bytes as the row of a family, with a valid checksum: the row is decoded or refused, a decoded one
// has only texts that a line can have, and it survives a round trip. Any bytes as its key are a key or none,
// too.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/family_row.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto any = parse_family_key(bytes); any && family_key(*any) != bytes) std::abort();
  const FamilyKey key{"room.heat", Kind::kGauge};
  Writer(bytes).u32be(crc32c(bytes, crc32c(family_key(key))));
  const auto row = decode_family_row(key, bytes);
  if (!row) return 0;
  if (check_family(row->text()).is_refused()) std::abort();
  const auto again = decode_family_row(key, encode_family_row(*row));
  if (!again || !(*again == *row)) std::abort();
  return 0;
}

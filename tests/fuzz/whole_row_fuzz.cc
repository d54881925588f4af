// Reads any bytes as the row of the whole chunks, with a valid checksum: the row is decoded or refused, and a
// decoded one survives a round trip.
#include <cstdlib>
#include <string>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/keys.h"
#include "storage/whole_row.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Writer(bytes).u32be(crc32c(bytes, crc32c(kWholeKey)));
  const auto row = decode_whole_row(bytes);
  if (!row) return 0;
  if (row->classes.empty()) std::abort();
  const auto again = decode_whole_row(encode_whole_row(*row));
  if (!again || !(*again == *row)) std::abort();
  return 0;
}

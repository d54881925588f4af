// Reads any bytes as the row of an agent, with a valid checksum: the row is decoded or refused, and a decoded
// row survives a round trip.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/agent_row.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const AgentId id;
  const std::string of_id(AgentId::kBytes, '\0');
  Writer(bytes).u32be(crc32c(bytes, crc32c(of_id)));
  const auto row = decode_agent_row(id, bytes);
  if (!row) return 0;
  const auto again = decode_agent_row(id, encode_agent_row(*row));
  if (!again || !(*again == *row)) std::abort();
  return 0;
}

// Reads any bytes as the row of a document, with a valid checksum: the row is decoded or refused, and a
// decoded one survives a round trip. Any bytes as its key are a key or none, too.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/document_row.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto any = parse_document_key(bytes); any && document_key(*any) != bytes) std::abort();
  const DocumentKey key{DocumentKind::kView, "abc"};
  Writer(bytes).u32be(crc32c(bytes, crc32c(document_key(key))));
  const auto row = decode_document_row(key, bytes);
  if (!row) return 0;
  const auto again = decode_document_row(key, encode_document_row(*row));
  if (!again || !(*again == *row)) std::abort();
  return 0;
}

// Reads any bytes as the row of an exemplar, with a valid checksum: the row is decoded or refused, and a
// decoded one survives a round trip. Any bytes as its key are a key or none, too.
#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "proto/exemplar.h"
#include "storage/exemplar_row.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto any = parse_exemplar_key(bytes)) SM_CHECK(exemplar_key(*any) == bytes);
  const ExemplarKey key{7, 170'000'000};
  Writer(bytes).u32be(crc32c(bytes, crc32c(exemplar_key(key))));
  const auto row = decode_exemplar_row(key, bytes);
  if (!row) return 0;
  const auto labels = decode_exemplar_labels(row->labels);
  SM_CHECK(labels && encode_exemplar_labels(*labels).text == row->labels);
  const auto again = decode_exemplar_row(key, encode_exemplar_row(*row));
  SM_CHECK(again && *again == *row);
  return 0;
}

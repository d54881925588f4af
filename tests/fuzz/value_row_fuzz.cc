// Reads any bytes as a row of last values, with a valid checksum: it is refused or read to its end, and what
// was read survives a round trip. Any bytes as its key are a key or none, too.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "storage/value_row.h"

namespace {

using namespace statmill;

std::vector<LastValue> read(std::string_view row) {
  std::vector<LastValue> values;
  auto reader = ValueRowReader::open(9, row);
  if (!reader) return values;
  for (auto value = reader->next(); value && value->has_value(); value = reader->next())
    values.push_back(**value);
  return values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto tick = parse_value_row_key(bytes)) SM_CHECK(value_row_key(*tick) == bytes);
  Writer(bytes).u32be(crc32c(bytes, crc32c(value_row_key(9))));
  const std::vector<LastValue> values = read(bytes);
  SM_CHECK(values.size() <= size);
  ValueRowWriter writer(from_unix_seconds(1'700'000'000));
  for (const LastValue& value : values) writer.add(value);
  SM_CHECK(read(std::move(writer).finish(9)) == values);
  return 0;
}

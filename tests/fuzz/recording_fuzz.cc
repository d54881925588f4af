// Reads any bytes as a recording, as they are and as the text of a block: the reader ends, its blocks have
// bounded texts, and each moment is a part of its block, in order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "proto/recording/block.h"
#include "proto/recording/recording_reader.h"

namespace {

using namespace statmill;

void read(std::string_view bytes) {
  const uint64_t size = bytes.size();
  RecordingReader reader([&](std::span<char> room) -> Result<size_t> {
    SM_CHECK(room.size() <= kBlockBytesMax);
    const size_t read = std::min(room.size(), bytes.size());
    std::copy_n(bytes.begin(), read, room.begin());
    bytes.remove_prefix(read);
    return read;
  });
  for (auto block = reader.next(); block && block->has_value(); block = reader.next()) {
    const std::string_view lines = (*block)->lines;
    SM_CHECK(lines.size() <= kBlockBytesMax && (*block)->head.host.size() <= kRecordingHostBytesMax);
    const char* end = lines.data();
    for_each_moment(lines, [&](std::optional<Timestamp>, std::string_view part) {
      SM_CHECK(part.data() >= end && part.data() + part.size() <= lines.data() + lines.size());
      end = part.data() + part.size();
    });
  }
  SM_CHECK(reader.bytes() <= size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  if (size == 0 || size > kBlockTextBytesMax) return 0;
  read(BlockWriter().block(bytes, 0) + std::string(end_block()));
  return 0;
}

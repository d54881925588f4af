#include "proto/prometheus/snappy_block.h"

#include <snappy.h>

namespace statmill {
namespace {

// A copy of 64 bytes takes 3 bytes at least, so a block never becomes longer by more than this. It bounds
// the memory that a short block can ask for.
constexpr size_t kGrowthMax = 22;

}  // namespace

Result<std::string> decode_snappy(std::string_view block, size_t limit) {
  size_t size = 0;
  if (!snappy::GetUncompressedLength(block.data(), block.size(), &size))
    return Error{ErrorCode::kInvalid, "snappy: corrupt input"};
  if (size > limit)
    return Error{ErrorCode::kLimit, "a body of " + std::to_string(size) + " bytes, more than the " +
                                        std::to_string(limit) + " that are accepted"};
  if (size / kGrowthMax > block.size()) return Error{ErrorCode::kInvalid, "snappy: corrupt input"};
  std::string decoded(size, '\0');
  if (!snappy::RawUncompress(block.data(), block.size(), decoded.data()))
    return Error{ErrorCode::kInvalid, "snappy: corrupt input"};
  return decoded;
}

}  // namespace statmill

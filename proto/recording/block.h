// Blocks of a recording: gzip members of at most 64 KiB, as in BGZF (FORMAT.md), so that gzip reads the whole
// file, and a reader finds each block without inflating those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kBlockBytesMax = 65536;
inline constexpr size_t kBlockHeadBytes = 18;
// Text of this size fits into a block even if deflate cannot shrink it.
inline constexpr size_t kBlockTextBytesMax = 0xff00;

// Makes blocks. It owns zlib's state of 260 KiB.
class BlockWriter {
 public:
  BlockWriter();
  ~BlockWriter();

  // Returns the block. `time_s` are unix seconds. Requires: at most kBlockTextBytesMax bytes of text, and not
  // none.
  std::string block(std::string_view text, int64_t time_s);

 private:
  struct Deflate;
  std::unique_ptr<Deflate> deflate_;
};

// Returns the empty block that ends each recording.
std::string_view end_block();

struct BlockHead {
  size_t bytes = 0;    // of the whole block; at most kBlockBytesMax
  int64_t time_s = 0;  // of its first moment; 0: it has none
};

// Returns nullopt if `bytes` do not begin with the head of a block.
std::optional<BlockHead> read_block_head(std::string_view bytes);

// Returns the text of a whole block. Allocates at most kBlockBytesMax, whatever the block says. Error:
// kCorrupt.
Result<std::string> inflate_block(std::string_view block);

}  // namespace statmill

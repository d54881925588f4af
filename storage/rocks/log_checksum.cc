#include "storage/rocks/log_checksum.h"

#include "base/hash.h"

#if defined(__x86_64__)
namespace rocksdb::crc32c {

// Weak, so that a RocksDB that is linked statically keeps its own.
[[gnu::weak]] uint32_t Extend(uint32_t crc, const char* bytes, size_t size) {
  return statmill::crc32c({bytes, size}, crc);
}

}  // namespace rocksdb::crc32c
#endif

namespace statmill {

void use_fast_log_checksum() {}

}  // namespace statmill

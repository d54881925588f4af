#include "storage/rocks/log_checksum.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(LogChecksum, RocksDbCallsTheFunctionOfTheProgram) {
  use_fast_log_checksum();
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "_ZN7rocksdb6crc32c6ExtendEjPKcm"),
            reinterpret_cast<void*>(&rocksdb::crc32c::Extend));
}

TEST(LogChecksum, IsCrc32c) {
  EXPECT_EQ(rocksdb::crc32c::Extend(0, "123456789", 9), 0xe3069283) << "RFC 3720, appendix B.4";
  EXPECT_EQ(rocksdb::crc32c::Extend(rocksdb::crc32c::Extend(0, "1234", 4), "56789", 5), 0xe3069283);
}

}  // namespace
}  // namespace statmill

#include "storage/files/reserve_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/descriptor.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

Error failed(int error) {
  return {ErrorCode::kIo, "cannot keep a disk reserve: " + std::generic_category().message(error)};
}

int allocate(const fs::path& file, uint64_t bytes) {
  const Descriptor descriptor(::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (!descriptor.is_open()) return errno;
  if (::fallocate(descriptor.get(), 0, 0, static_cast<off_t>(bytes)) != 0) return errno;
  return 0;
}

}  // namespace

uint64_t reserve_bytes(const fs::path& file) {
  std::error_code none;
  const uintmax_t bytes = fs::file_size(file, none);
  return none ? 0 : bytes;
}

Status make_reserve(const fs::path& file, uint64_t bytes) {
  if (reserve_bytes(file) == bytes) return Status::ok();
  give_up_reserve(file);  // it has another size
  if (bytes == 0) return Status::ok();
  std::error_code error;
  const fs::space_info space = fs::space(file.parent_path(), error);
  if (error) return failed(error.value());
  if (space.available < 2 * bytes) return failed(ENOSPC);
  const int why = allocate(file, bytes);
  if (why == 0) return Status::ok();
  give_up_reserve(file);  // a part of it may have been allocated
  return failed(why);
}

bool give_up_reserve(const fs::path& file) {
  std::error_code error;
  return fs::remove(file, error);
}

}  // namespace statmill

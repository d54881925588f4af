#include "tools/statmill/tar_writer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <system_error>

namespace statmill {
namespace {

constexpr size_t kBlockBytes = 512;
using Block = std::array<char, kBlockBytes>;

// Where the fields of a header are, and how long (POSIX.1-1988, section 10.1.1).
struct Field {
  size_t offset;
  size_t bytes;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};

void put_text(Block& block, Field field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), field.bytes),
              block.begin() + static_cast<ptrdiff_t>(field.offset));
}

// Writes octal digits in all bytes but the last, which stays zero.
void put_number(Block& block, Field field, uint64_t number) {
  for (size_t i = field.bytes - 1; i-- > 0; number >>= 3)
    block.at(field.offset + i) = static_cast<char>('0' + (number & 7));
}

}  // namespace

Status TarWriter::begin(std::string_view name, uint64_t bytes) {
  if (name.size() > kNameBytesMax || bytes > kFileBytesMax)
    return Error{ErrorCode::kLimit, std::string(name) + " is too large for a tar archive"};
  Block header{};
  put_text(header, kName, name);
  put_number(header, kMode, 0644);
  put_number(header, kUser, 0);
  put_number(header, kGroup, 0);
  put_number(header, kSize, bytes);
  put_number(header, kTime, static_cast<uint64_t>(std::max<int64_t>(0, mtime_s_)));
  put_text(header, kType, "0");
  put_text(header, kMagic, std::string_view("ustar\00000", 8));
  put_text(header, kChecksum, "        ");  // counts as blanks
  const auto sum = std::accumulate(header.begin(), header.end(), uint64_t{0},
                                   [](uint64_t all, char c) { return all + static_cast<unsigned char>(c); });
  put_number(header, {kChecksum.offset, kChecksum.bytes - 1}, sum);
  file_bytes_ = 0;
  return put({header.data(), header.size()});
}

Status TarWriter::write(std::string_view piece) {
  file_bytes_ += piece.size();
  return put(piece);
}

Status TarWriter::end() {
  constexpr Block kZeros{};
  return put({kZeros.data(), (kBlockBytes - file_bytes_ % kBlockBytes) % kBlockBytes});
}

Status TarWriter::finish() {
  constexpr std::array<char, 2 * kBlockBytes> kZeros{};
  return put({kZeros.data(), kZeros.size()});
}

Status TarWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrorCode::kIo, "write: " + std::generic_category().message(errno)};
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return Status::ok();
}

}  // namespace statmill

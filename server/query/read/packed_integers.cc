#include "server/query/read/packed_integers.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace statmill {
namespace {

uint64_t bits_of(int64_t value) { return static_cast<uint64_t>(value); }

template <class Narrow>
void narrow(std::span<const int64_t> values, int64_t least, std::vector<uint8_t>& out) {
  std::vector<Narrow> differences(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    differences[i] = static_cast<Narrow>(bits_of(values[i]) - bits_of(least));
  out.resize(values.size() * sizeof(Narrow));
  std::memcpy(out.data(), differences.data(), out.size());
}

template <class Narrow>
void widen(const uint8_t* from, size_t count, int64_t least, int64_t* out) {
  for (size_t i = 0; i < count; ++i) {
    Narrow difference;
    std::memcpy(&difference, from + i * sizeof(Narrow), sizeof(Narrow));
    out[i] = static_cast<int64_t>(bits_of(least) + difference);
  }
}

}  // namespace

PackedIntegers::PackedIntegers(std::span<const int64_t> values) {
  if (values.empty()) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  least_ = *least;
  most_ = *most;
  const uint64_t span = bits_of(*most) - bits_of(*least);
  width_ = span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : span <= UINT32_MAX ? 4 : 8;
  if (width_ == 1) narrow<uint8_t>(values, least_, bytes_);
  if (width_ == 2) narrow<uint16_t>(values, least_, bytes_);
  if (width_ == 4) narrow<uint32_t>(values, least_, bytes_);
  if (width_ == 8) narrow<uint64_t>(values, least_, bytes_);
}

bool PackedIntegers::fits(int64_t factor) const {
  if (factor == 1) return true;
  const int64_t limit = std::numeric_limits<int64_t>::max() / factor;
  return least_ >= -limit && most_ <= limit;
}

void PackedIntegers::unpack(size_t first, size_t count, int64_t* out) const {
  const uint8_t* const from = bytes_.data() + first * width_;
  if (width_ == 1) widen<uint8_t>(from, count, least_, out);
  if (width_ == 2) widen<uint16_t>(from, count, least_, out);
  if (width_ == 4) widen<uint32_t>(from, count, least_, out);
  if (width_ == 8) widen<uint64_t>(from, count, least_, out);
}

}  // namespace statmill

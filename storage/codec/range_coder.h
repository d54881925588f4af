// RangeEncoder and RangeDecoder: yes-or-no decisions <-> bytes; each decision costs what its probability
// implies.
//
// A 64-bit range coder with carry (Martin, 1979) whose probabilities adapt to the decisions seen. Both
// classes have the same members, so that one model serves as encoder and decoder: it passes the value to
// write, which the decoder ignores, and continues with the value returned. Integers only: the same bytes on
// every CPU.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace statmill {

// The probability of a yes: the mean of the decisions seen, an exponential average from kSeenMax on.
class Odds {
 public:
  // In 2^-16; odd, so that neither answer ever has probability 0.
  uint32_t yes() const { return state_ >> 16 | 1; }

  void learn(bool answer) {
    const uint32_t seen = state_ & 0xff;
    const auto yes = static_cast<int64_t>(state_ >> 8);
    const int64_t target = answer ? 0xffffff : 0;
    const int64_t moved = yes + (((target - yes) * kShare[seen]) >> 16);
    state_ = static_cast<uint32_t>(moved) << 8 | (seen + (seen < kSeenMax ? 1 : 0));
  }

 private:
  static constexpr uint32_t kSeenMax = 250;
  // The weight of the next answer after n answers, in 2^-16: about 1 / (n + 1.6).
  static constexpr std::array<int64_t, kSeenMax + 1> kShare = [] {
    std::array<int64_t, kSeenMax + 1> share{};
    for (size_t n = 0; n < share.size(); ++n) share[n] = 655'360 / static_cast<int64_t>(10 * n + 16);
    return share;
  }();

  uint32_t state_ = 0x80000000;  // probability of a yes in the high 24 bits, number of answers in the low 8
};

inline constexpr int kPlainBitsMax = 16;                  // of one plain()
inline constexpr uint64_t kRangeMin = uint64_t{1} << 32;  // below this, four bytes are shifted out
inline constexpr uint64_t kRangeMax = ~uint64_t{0};       // at the start

// Appends to a string that must outlive it. The string is complete only after finish().
class RangeEncoder {
 public:
  static constexpr bool kWrites = true;

  explicit RangeEncoder(std::string& out) : out_(out), begin_(out.size()) {}

  bool decide(bool answer, Odds& odds) {
    const uint64_t bound = (range_ >> 16) * odds.yes();
    odds.learn(answer);
    // Branch-free: a decision worth coding cannot be predicted.
    const uint64_t no = uint64_t{answer} - 1;
    raise(bound & no);
    narrow(bound ^ ((bound ^ (range_ - bound)) & no));
    return answer;
  }
  // Writes bits of equal probability. Requires: bits <= kPlainBitsMax, value < 2^bits.
  uint64_t plain(uint64_t value, int bits) {
    const uint64_t part = range_ >> bits;
    raise(part * value);
    narrow(part);
    return value;
  }
  // Writes the fewest bytes that identify the final range.
  void finish() {
    for (int bytes = 0;; ++bytes) {
      const uint64_t below = bytes == 0 ? kRangeMax : (uint64_t{1} << (64 - 8 * bytes)) - 1;
      const uint64_t up = (~low_ + 1) & below;  // to the next number with only zeros after these bytes
      if (up >= range_) continue;
      raise(up);
      for (int i = 0; i < bytes; ++i) out_.push_back(static_cast<char>(low_ >> (56 - 8 * i)));
      return;
    }
  }

 private:
  void raise(uint64_t by) {
    low_ += by;
    if (low_ < by) [[unlikely]]
      carry();
  }
  void narrow(uint64_t range) {
    range_ = range;
    if (range < kRangeMin) [[unlikely]]
      move();
  }
  // Cannot run past the first byte: everything written is a fraction below 1.
  [[gnu::noinline]] void carry() {
    for (size_t i = out_.size(); i-- > begin_;) {
      out_[i] = static_cast<char>(out_[i] + 1);
      if (out_[i] != 0) return;
    }
  }
  [[gnu::noinline]] void move() {
    char b[4];
    for (int i = 0; i < 4; ++i) b[i] = static_cast<char>(low_ >> (56 - 8 * i));
    out_.append(b, sizeof(b));
    low_ <<= 32;
    range_ <<= 32;
  }

  std::string& out_;
  size_t begin_;
  uint64_t low_ = 0;
  uint64_t range_ = kRangeMax;
};

// Reads what RangeEncoder wrote. Past the end it reads zeros; check done() or overrun() afterwards.
class RangeDecoder {
 public:
  static constexpr bool kWrites = false;

  explicit RangeDecoder(std::string_view bytes) : bytes_(bytes) {
    move();
    move();
    range_ = kRangeMax;
  }

  bool decide(bool /*answer*/, Odds& odds) {
    const uint64_t bound = (range_ >> 16) * odds.yes();
    const bool answer = ahead_ < bound;
    odds.learn(answer);
    const uint64_t no = uint64_t{answer} - 1;
    ahead_ -= bound & no;
    narrow(bound ^ ((bound ^ (range_ - bound)) & no));
    return answer;
  }
  uint64_t plain(uint64_t /*value*/, int bits) {
    const uint64_t part = range_ >> bits;
    const uint64_t value = std::min(ahead_ / part, (uint64_t{1} << bits) - 1);
    ahead_ -= part * value;
    narrow(part);
    return value;
  }
  // Returns whether an encoder may have ended here: no byte is missing and none is left over.
  bool done() const { return bytes_.size() <= at_ && at_ - bytes_.size() <= sizeof(ahead_); }
  bool overrun() const { return at_ > bytes_.size() + sizeof(ahead_); }

 private:
  void narrow(uint64_t range) {
    range_ = range;
    if (range < kRangeMin) [[unlikely]]
      move();
  }
  [[gnu::noinline]] void move() {
    for (int i = 0; i < 4; ++i, ++at_)
      ahead_ = ahead_ << 8 | (at_ < bytes_.size() ? static_cast<uint8_t>(bytes_[at_]) : 0);
    range_ <<= 32;
  }

  std::string_view bytes_;
  size_t at_ = 0;       // bytes consumed, including those past the end
  uint64_t ahead_ = 0;  // the encoded number, relative to the low end of the range
  uint64_t range_ = 0;
};

}  // namespace statmill

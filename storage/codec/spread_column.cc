//
// A bucket's spread is encoded as its difference from share * room, in a Rice code whose parameter depends on
// the width of the room: buckets of a busy hour have longer residuals than those of a quiet one.
#include "storage/codec/spread_column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "storage/codec/residuals.h"

namespace statmill {
namespace {

constexpr int kShareBits = 12;  // the share is a number of 4096ths
constexpr int kNarrowBits = 4;  // how much narrower than the room the residuals are
constexpr int kNarrowMax = 15;
constexpr int kPlainRoom = 50;  // wider rooms are not worth predicting: plain bits

Int128 square(int64_t v) { return Int128{v} * v; }

// The squares if they follow from one, two or (integers) three samples; nullopt otherwise.
std::optional<Int128> known_squares(SpreadRule rule, uint64_t count, int64_t sum, int64_t min, int64_t max) {
  if (count >= spread_count_min(rule)) return std::nullopt;
  if (count == 1) return square(sum);
  Int128 squares = 0;
  if (__builtin_add_overflow(square(min), square(max), &squares)) return squares;
  if (count == 2) return squares;
  const int64_t third = static_cast<int64_t>(Int128{sum} - min - max);
  static_cast<void>(__builtin_add_overflow(squares, square(third), &squares));
  return squares;
}

bool holds(SpreadRule rule, const DecimalColumns& c, size_t i) {
  const uint64_t count = c.counts[i];
  const Bucket::Decimal d{c.sums[i], c.squares[i], c.mins[i], c.maxs[i], 0};
  if (const auto known = known_squares(rule, count, d.sum, d.min, d.max)) return *known == d.sum_of_squares;
  const auto bounds = spread_bounds(rule, count, d.sum, d.min, d.max);
  return bounds && spread_of(rule, *bounds, count, d);
}

struct Coded {
  uint64_t room = 0;
  uint64_t spread = 0;
};

uint64_t predicted(uint64_t room, uint64_t share) { return room * share >> kShareBits; }

int parameter(uint64_t room, int narrow) { return std::max(0, width_of(room) - narrow); }

// Returns the sum of all spreads as a share of the sum of their rooms.
uint64_t choose_share(const std::vector<Coded>& coded) {
  Uint128 room = 0;
  Uint128 spread = 0;
  for (const Coded& t : coded) {
    room += t.room;
    spread += t.spread;
  }
  if (room == 0) return 0;
  return std::min<uint64_t>(static_cast<uint64_t>((spread << kShareBits) / room),
                            (uint64_t{1} << kShareBits) - 1);
}

// Returns the best of the average and its neighbours.
int choose_narrow(const std::vector<Coded>& coded, uint64_t share) {
  int64_t narrower = 0;
  for (const Coded& t : coded) {
    narrower += width_of(t.room) - width_of(zigzag(t.spread - predicted(t.room, share)));
  }
  const auto average = static_cast<int>(narrower / static_cast<int64_t>(coded.size()));
  const int first = std::clamp(average, 0, kNarrowMax - 2);
  std::array<uint64_t, 3> bits{};
  for (const Coded& t : coded) {
    const uint64_t residual = zigzag(t.spread - predicted(t.room, share));
    for (int i = 0; i < 3; ++i)
      bits[static_cast<size_t>(i)] += rice_bits(residual, parameter(t.room, first + i));
  }
  return first + static_cast<int>(std::min_element(bits.begin(), bits.end()) - bits.begin());
}

void put_plain(BitWriter& out, Uint128 spread, Uint128 room) {
  for (; room != 0; room >>= 32, spread >>= 32) {
    const int bits = room >> 32 != 0 ? 32 : width_of(static_cast<uint64_t>(room));
    out.put(static_cast<uint64_t>(spread & ((uint64_t{1} << bits) - 1)), bits);
  }
}

Uint128 get_plain(BitReader& in, Uint128 room) {
  Uint128 spread = 0;
  for (int shift = 0; room != 0; room >>= 32, shift += 32) {
    const int bits = room >> 32 != 0 ? 32 : width_of(static_cast<uint64_t>(room));
    spread |= Uint128{in.get(bits)} << shift;
  }
  return spread;
}

void encode_raw(BitWriter& out, const DecimalColumns& c) {
  for (const Int128 squares : c.squares) {
    out.put_number(static_cast<uint64_t>(squares >> 64));
    out.put_number(static_cast<uint64_t>(squares));
  }
}

bool decode_raw(BitReader& in, DecimalColumns& c) {
  for (Int128& squares : c.squares) {
    const Uint128 high = in.get_number();
    squares = static_cast<Int128>(high << 64 | in.get_number());
  }
  return !in.overrun();
}

}  // namespace

SpreadForm choose_spread_form(const DecimalColumns& columns) {
  for (const SpreadRule rule : {SpreadRule::kIntegers, SpreadRule::kRounded}) {
    size_t i = 0;
    while (i < columns.size() && holds(rule, columns, i)) ++i;
    if (i == columns.size()) return static_cast<SpreadForm>(rule);
  }
  return SpreadForm::kRaw;
}

void encode_spread(BitWriter& out, SpreadForm form, const DecimalColumns& c) {
  if (form == SpreadForm::kRaw) return encode_raw(out, c);
  const auto rule = static_cast<SpreadRule>(form);
  std::vector<Coded> coded;
  for (size_t i = 0; i < c.size(); ++i) {
    if (c.counts[i] < spread_count_min(rule)) continue;
    const Bucket::Decimal d{c.sums[i], c.squares[i], c.mins[i], c.maxs[i], 0};
    const SpreadBounds bounds = *spread_bounds(rule, c.counts[i], d.sum, d.min, d.max);
    const Uint128 spread = *spread_of(rule, bounds, c.counts[i], d);
    if (bounds.room >> kPlainRoom != 0) {
      put_plain(out, spread, bounds.room);
    } else if (bounds.room != 0) {
      coded.push_back({static_cast<uint64_t>(bounds.room), static_cast<uint64_t>(spread)});
    }
  }
  if (coded.empty()) return;
  const uint64_t share = choose_share(coded);
  const int narrow = choose_narrow(coded, share);
  out.put(share, kShareBits);
  out.put(static_cast<uint64_t>(narrow), kNarrowBits);
  for (const Coded& t : coded) {
    put_rice(out, zigzag(t.spread - predicted(t.room, share)), parameter(t.room, narrow));
  }
}

bool decode_spread(BitReader& in, SpreadForm form, DecimalColumns& c) {
  if (form == SpreadForm::kRaw) return decode_raw(in, c);
  if (form != SpreadForm::kIntegers && form != SpreadForm::kRounded) return false;
  const auto rule = static_cast<SpreadRule>(form);
  struct Open {
    size_t i;
    SpreadBounds bounds;
  };
  std::vector<Open> open;
  open.reserve(c.size());
  for (size_t i = 0; i < c.size(); ++i) {
    const uint64_t n = c.counts[i];
    if (const auto known = known_squares(rule, n, c.sums[i], c.mins[i], c.maxs[i])) {
      c.squares[i] = *known;
      continue;
    }
    const auto bounds = spread_bounds(rule, n, c.sums[i], c.mins[i], c.maxs[i]);
    if (!bounds) return false;
    Uint128 spread = 0;
    if (bounds->room >> kPlainRoom != 0) {
      spread = get_plain(in, bounds->room);
      if (spread > bounds->room) return false;
    } else if (bounds->room != 0) {
      open.push_back({i, *bounds});
      continue;
    }
    c.squares[i] = squares_of(rule, *bounds, spread, n, c.sums[i], c.mins[i], c.maxs[i]);
  }
  if (open.empty()) return !in.overrun();
  const uint64_t share = in.get(kShareBits);
  const auto narrow = static_cast<int>(in.get(kNarrowBits));
  for (const auto& [i, bounds] : open) {
    const auto room = static_cast<uint64_t>(bounds.room);
    const uint64_t spread = unzigzag(get_rice(in, parameter(room, narrow))) + predicted(room, share);
    if (spread > room) return false;
    c.squares[i] = squares_of(rule, bounds, spread, c.counts[i], c.sums[i], c.mins[i], c.maxs[i]);
  }
  return !in.overrun();
}

}  // namespace statmill

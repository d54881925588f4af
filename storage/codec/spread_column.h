// Spread column: the sums of squares of a group <-> bits, each predicted as a share of its room (spread.h).
#pragma once

#include <cstdint>

#include "storage/codec/bits.h"
#include "storage/codec/groups.h"
#include "storage/codec/spread.h"

namespace statmill {

// Stored on disk: never renumber. The first two are SpreadRules.
enum class SpreadForm : uint8_t {
  kIntegers = 0,
  kRounded = 1,
  kRaw = 2,  // the squares in full, because the numbers are too large for the other forms
};

// Returns the first form that can hold all of them. Requires: columns that are not single.
SpreadForm choose_spread_form(const DecimalColumns& columns);

void encode_spread(BitWriter& out, SpreadForm form, const DecimalColumns& columns);

// Fills in the squares; all other columns are known. Returns false if no encoder writes such bits.
bool decode_spread(BitReader& in, SpreadForm form, DecimalColumns& columns);

}  // namespace statmill

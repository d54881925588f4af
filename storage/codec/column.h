// Column: a run of integers <-> bits, each foretold from those before it and only the residual kept.
//
// The encoder tries every predictor and keeps the one whose residuals are shortest. Arithmetic is modulo
// 2^64, so that any integers come back.
#pragma once

#include <cstdint>
#include <span>

#include "storage/codec/bits.h"

namespace statmill {

// Requires: not empty.
void encode_column(BitWriter& out, std::span<const int64_t> values);

// False when the bits cannot be an encoder's. Requires: not empty.
bool decode_column(BitReader& in, std::span<int64_t> values);

}  // namespace statmill

// Column: a sequence of integers <-> bits. Each integer is predicted from those before it and only the
// residual is stored.
//
// The encoder tries every predictor and keeps the one with the shortest residuals. Arithmetic is modulo 2^64,
// so that any integers are restored.
#pragma once

#include <cstdint>
#include <span>

#include "storage/codec/bits.h"

namespace statmill {

// Requires: not empty.
void encode_column(BitWriter& out, std::span<const int64_t> values);

// Returns false if no encoder writes such bits. Requires: not empty.
bool decode_column(BitReader& in, std::span<int64_t> values);

}  // namespace statmill

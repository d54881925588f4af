// Computes about how many bytes the series of each retention class have in a range of chunks.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "storage/ids.h"

namespace statmill {

class RocksDatabase;

// By class; kGone: those of deleted series.
using ClassBytes = std::array<uint64_t, 256>;

// A range of chunks of one tier: [begin, end).
struct ChunkRange {
  TierNo tier = 0;
  ChunkNo begin = 0;
  ChunkNo end = 0;
};

// Reads all rows of the range if they are at most `rows_max`; their bytes are before compression then. Else
// it reads about twice as many rows, the second half from all over the range, and divides the range's bytes
// in files and memory as the sample is divided. Returns zeros for a tier that the database does not have.
Result<ClassBytes> class_bytes(RocksDatabase& database, ChunkRange range, uint64_t rows_max);

}  // namespace statmill

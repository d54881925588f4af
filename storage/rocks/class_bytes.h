// Computes about how many bytes the series of each retention class have in a range of chunks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

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

struct ClassBytesRequest {
  ChunkRange range;
  uint64_t rows_max = 0;
  std::function<bool()> is_over = [] { return false; };  // asked every 64 rows and at each place
};

struct ClassSizes {
  ClassBytes bytes{};
  bool are_least = false;  // it was over before all was known: these were read
};

// Reads all rows of the range if they are at most `rows_max`; their bytes are before compression then. Else
// it reads about twice as many rows, the second half from places all over the range, one for each 16 rows and
// at most 64, and divides the range's bytes in files and memory as the sample is divided. A place costs two
// seeks. Returns zeros for a tier that the database does not have.
Result<ClassSizes> class_bytes(RocksDatabase& database, const ClassBytesRequest& request);

}  // namespace statmill

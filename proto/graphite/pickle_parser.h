// Parser for Graphite's pickles, `[(path, (timestamp, value)), ...]` (proto/PROTOCOL.md), as carbon 1.1.7
// reads them. Pure: bytes in, samples and counts out; no clock, no log, no state between calls.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "proto/batch.h"

namespace statmill {

// The limit of a pickle's samples: each needs at least eight bytes. Without it, two bytes could repeat one.
inline constexpr size_t pickle_samples_max(size_t bytes) { return bytes / 8 + 8; }
inline constexpr size_t kPickleNumberBytesMax = 256;  // of a number that is written as text

// Parses one pickle without its length. Adds a gauge sample or a refusal for each of its pairs. Refuses the
// whole pickle once, with kBadPickle, if it is none, has opcodes that data does not need, is no list, or has
// too many samples; then returns what is wrong with it, else an empty text. `bytes` must stay valid until
// batch.clear().
std::string parse_graphite_pickle(std::string_view bytes, Batch& batch);

}  // namespace statmill

// Bucket columns: the numbers of a group's buckets <-> bits. Each column encodes only what the columns before
// it leave open.
//
// Readers get columns that already have their length; they return false if no encoder writes such bits. Sums
// of squares are in spread_column.h.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/codec/bits.h"
#include "storage/codec/groups.h"
#include "storage/codec/spread_column.h"

namespace statmill {

// Gaps between slots; the first slot is known.
void write_slots(BitWriter& out, const std::vector<Slot>& slots);
bool read_slots(BitReader& in, Slot end, std::vector<Slot>& slots);

void write_counts(BitWriter& out, const std::vector<uint64_t>& counts);
bool read_counts(BitReader& in, std::vector<uint64_t>& counts);

// Sums of buckets whose counts differ, as mean and remainder. Relies on: counts.
void write_means(BitWriter& out, const DecimalColumns& c);
bool read_means(BitReader& in, DecimalColumns& c);

// The distances from min to mean and from mean to max, if count and sum leave them open: a single observation
// determines both, two follow from their min, and equal integers are recognised by a sum of count times min
// (a rounded sum may be that by chance). Relies on: counts, sums.
void write_extremes(BitWriter& out, SpreadForm form, const DecimalColumns& c);
bool read_extremes(BitReader& in, SpreadForm form, DecimalColumns& c);

// Doubles, mapped to integers that have the same order.
void write_doubles(BitWriter& out, const std::vector<double>& numbers);
bool read_doubles(BitReader& in, std::vector<double>& numbers);

}  // namespace statmill

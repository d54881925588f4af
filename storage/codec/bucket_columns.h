// Bucket columns: the numbers of a group's buckets <-> bits, each told by what the columns before it leave
// open.
//
// The reading side is given columns that already have their length; false means that the bits cannot be an
// encoder's. Squares have a file of their own (spread_column.h).
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

// Sums of buckets whose counts differ: mean and remainder. Relies on: counts.
void write_means(BitWriter& out, const DecimalColumns& c);
bool read_means(BitReader& in, DecimalColumns& c);

// How far min is below the mean and max above it, where count and sum leave it open: one observation is all
// of them, two are told by their min, and equal integers show in a sum of count times min (a sum that was
// rounded may be that by chance). Relies on: counts, sums.
void write_extremes(BitWriter& out, SpreadForm form, const DecimalColumns& c);
bool read_extremes(BitReader& in, SpreadForm form, DecimalColumns& c);

// Doubles as integers in the order of their values.
void write_doubles(BitWriter& out, const std::vector<double>& numbers);
bool read_doubles(BitReader& in, std::vector<double>& numbers);

}  // namespace statmill

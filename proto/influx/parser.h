// Parser for InfluxDB's line protocol, `measurement[,tag=value...] field=value[,field=value...] [time]`
// (proto/PROTOCOL.md), as InfluxDB 1.8 reads it. Pure: bytes in, samples and counts out; no clock, no log.
//
// A field becomes a gauge `measurement.field` with the tags of its point. Integers and floats keep their
// value, a boolean is 0 or 1, and a string is skipped and counted. A point with an error anywhere gives no
// sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proto/batch.h"
#include "proto/influx/time_unit.h"

namespace statmill {

inline constexpr size_t kInfluxFieldsMax = 4096;                // of one point
inline constexpr size_t kInfluxNameBytesMax = size_t{1} << 20;  // of the names of all series of one point

struct InfluxOptions {
  InfluxUnit unit = InfluxUnit::kNanosecond;  // of all times
  // A tag for points that do not have its key, spelled as in canonical names (proto/name_escapes.h). An empty
  // key or value: none.
  std::string_view tag_key = {};
  std::string_view tag_value = {};
};

// Parses one point without its LF; skips white space around it. Adds one sample for each field that is no
// string, or one refusal, to `batch`; nothing if the line is empty or a comment. `line` must stay valid until
// batch.clear().
void parse_influx_line(std::string_view line, const InfluxOptions& options, Batch& batch);

// Parses the first points of `bytes`: about kInfluxPieceBytes of them, fewer if their names are long, at
// least one. Returns the number of bytes that it has parsed. The last point needs no LF.
inline constexpr size_t kInfluxPieceBytes = size_t{64} << 10;
size_t parse_influx_piece(std::string_view bytes, const InfluxOptions& options, Batch& batch);

// Parses all points of `bytes` with the default options.
void parse_influx_lines(std::string_view bytes, Batch& batch);

}  // namespace statmill

// Where a point of InfluxDB's line protocol ends: at its first LF that is not inside of a string.
#pragma once

#include <cstddef>
#include <string_view>

namespace statmill {

// Returns the size of the first point of `text`, without its LF; text.size() if no LF ends it. A string may
// span lines. If it does not end in the first kLineBytesMax bytes of the point, the point ends at its first
// LF, so that a missing quote costs one line. If these bytes have no LF, the size is over kLineBytesMax.
//
// Cost: linear in the bytes of all points together. A scan goes past the LF of a line only while it is inside
// of a string there. A scan that begins at a later line sees the same quotes, each of which opens or closes a
// string or ends the scan. So when both are at the same LF, one of them is outside of strings and ends.
size_t influx_point_size(std::string_view text);

}  // namespace statmill

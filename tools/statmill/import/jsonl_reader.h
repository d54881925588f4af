// JsonlReader: reads lines of JSON (docs/import.md, "JSONL"), of two shapes: what `statmill export` writes,
// and what VictoriaMetrics exports.
//
//   {"name":"cpu;host=a","kind":"gauge","buckets":[[1700000000,1.5],[1700000010,3,4.5,6.75,1,2]]}
//   {"metric":{"__name__":"cpu","host":"a"},"values":[1.5,2],"timestamps":[1700000000000,1700000010000]}
#pragma once

#include <memory>

#include "tools/statmill/import/history_reader.h"
#include "tools/statmill/import/line_file.h"

namespace statmill {

inline constexpr size_t kJsonLineBytesMax = size_t{64} << 20;

// `file` begins at `from`.
std::unique_ptr<HistoryReader> make_jsonl_reader(Descriptor file, ReadPosition from);

}  // namespace statmill

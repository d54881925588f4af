// WhisperReader: reads a file of Graphite's whisper (github.com/graphite-project/whisper, the comment at the
// head of whisper.py). All integers are big endian:
//
//   aggregation u32 | longest retention u32 | xFilesFactor f32 | archives u32
//   each archive:  offset u32 | seconds per point u32 | points u32
//   each point:    time u32, 0 if there is none | value f64
#pragma once

#include <memory>
#include <string>

#include "tools/statmill/import/block_file.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

inline constexpr uint32_t kWhisperArchivesMax = 32;

// Returns the name of the series of a file of a tree: "a.b" for a/b.wsp, and that in the name of a file of
// tagged series (_tagged/abc/def/a;t=x.wsp).
std::string whisper_name(std::string_view relative_path);

// Errors: kCorrupt (no whisper file, or a damaged header), kIo, kInvalid (no name that can be stored).
Result<std::unique_ptr<HistoryReader>> make_whisper_reader(BlockFile file, const std::string& name);

}  // namespace statmill

// IstatdReader: reads the files of one counter of istatd, one for each resolution (istatd:
// include/istat/Header.h and Bucket.h). All numbers are those of x86-64, little endian:
//
//   magic 16 B | header size i32 | interval i32 | flags i32 | versions 2 x i32 | 4 B | page size i64 | ... |
//   440 B then, from the second page on, buckets of 32 B: time i64 | sum f64 | min f32 | max f32 | count i32
//   | sum of squares f32
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/statmill/import/block_file.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

inline constexpr std::string_view kIstatdMagic{"istatd 4.0\n\0\xf5\x14\x07\0", 16};
inline constexpr size_t kIstatdFilesMax = 32;  // of one counter

// `files` are those of one counter. Files of trailing averages are left out: they are computed. Errors:
// kCorrupt (a file that is none of istatd, or a damaged header), kIo, kInvalid (no name that can be stored).
Result<std::unique_ptr<HistoryReader>> make_istatd_reader(std::vector<BlockFile> files,
                                                          const std::string& name);

}  // namespace statmill

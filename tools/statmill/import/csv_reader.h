// CsvReader: reads CSV with a header (docs/import.md, "CSV"): a line for each sample, or a line for each time
// with a column for each series.
#pragma once

#include <memory>

#include "tools/statmill/import/history_reader.h"
#include "tools/statmill/import/line_file.h"

namespace statmill {

inline constexpr size_t kCsvLineBytesMax = size_t{4} << 20;

// `file` begins at `from`; its header is read from the begin of `path`. Errors: kIo, kCorrupt (no header of
// either form).
Result<std::unique_ptr<HistoryReader>> make_csv_reader(Descriptor file, const std::string& path,
                                                       ReadPosition from);

}  // namespace statmill

// RrdReader: reads the text of `rrdtool dump` (XML), of a file of RRDtool with all its archives. Each time
// comes from the finest archive of averages that covers it; other consolidations are left out.
#pragma once

#include <memory>
#include <string>

#include "tools/statmill/import/history_reader.h"
#include "tools/statmill/import/line_file.h"

namespace statmill {

// The series of data source `ds` is called `name`.ds. `path` is read twice: first for the times of its
// archives. Errors: kIo, kCorrupt (no dump).
Result<std::unique_ptr<HistoryReader>> make_rrd_reader(const std::string& path, const std::string& name);

}  // namespace statmill

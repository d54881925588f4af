// XportReader: reads the XML of `rrdtool xport`, a table of values of one step: a gauge for each column.
#pragma once

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

// The series of the column with legend `entry` is called `name`.entry, or entry if `name` is empty; without a
// legend, column1 and so on. Errors: kIo, kCorrupt (no text of xport).
Result<std::unique_ptr<HistoryReader>> make_xport_reader(Descriptor file, const std::string& name);

}  // namespace statmill

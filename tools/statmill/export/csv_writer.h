// Writes samples as CSV (docs/import.md, "CSV"), without losing anything.
#pragma once

#include <memory>

#include "tools/statmill/export/history_writer.h"

namespace statmill {

std::unique_ptr<HistoryWriter> make_csv_writer(WriteOut out);

}  // namespace statmill

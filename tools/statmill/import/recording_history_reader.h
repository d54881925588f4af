// Reads recordings of `statmill record` and --hindsight (proto/recording/FORMAT.md).
#pragma once

#include <memory>

#include "base/descriptor.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

std::unique_ptr<HistoryReader> make_recording_history_reader(Descriptor file);

}  // namespace statmill

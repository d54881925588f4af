// Registers the metrics of a table.
#pragma once

#include "server/table/table.h"
#include "statmill/registry.h"

namespace statmill {

// The table must outlive all readings of the registry.
void register_table_metrics(Registry& registry, const Table& table);

}  // namespace statmill

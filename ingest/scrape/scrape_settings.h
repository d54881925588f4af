// The settings of scraping.
#pragma once

#include <vector>

#include "base/settings.h"
#include "ingest/scrape/scrape_options.h"

namespace statmill {

// They set `options`, which must outlive them.
std::vector<Setting> scrape_settings(ScrapeOptions& options);

}  // namespace statmill

// GET /prometheus/api/v1/targets: what is scraped, and how the last scrape went.
#pragma once

#include "ingest/scrape/scrape_board.h"
#include "server/http/router.h"

namespace statmill {

// The board must outlive the route; null: nothing is scraped.
Route targets_route(const ScrapeBoard* board);

}  // namespace statmill

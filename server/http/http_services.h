// HttpServices: everything that the HTTP handlers use from the rest of the server.
#pragma once

#include "base/clock.h"
#include "ingest/line_intake.h"
#include "server/health.h"
#include "server/http/query_board.h"
#include "server/query/queries.h"
#include "server/report/reports.h"
#include "statmill/registry.h"

namespace statmill {

// All must outlive the HTTP server.
struct HttpServices {
  const Queries& queries;
  const LineIntake& lines;
  const Reports& reports;
  Registry& registry;
  const Health& health;
  const Clock& clock;
  const QueryBoard& board;
};

}  // namespace statmill

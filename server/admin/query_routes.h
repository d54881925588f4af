// The route of the admin socket that cancels a query (server/http/API.md).
#pragma once

#include "server/http/query_board.h"
#include "server/http/router.h"

namespace statmill {

// `board` must outlive the route.
Route cancel_query_route(QueryBoard& board);

}  // namespace statmill

// The routes of events: POST, GET and DELETE of /api/v1/events (server/http/API.md).
#pragma once

#include <vector>

#include "base/clock.h"
#include "server/documents/event_log.h"
#include "server/documents/write_answers.h"
#include "server/http/router.h"

namespace statmill {

inline constexpr size_t kEventBodyBytesMax = size_t{32} << 10;
inline constexpr size_t kEventsListedMax = 10'000;

// All must outlive the routes.
std::vector<Route> event_routes(EventLog& events, const WriteAnswers& writes, const Clock& clock);

}  // namespace statmill

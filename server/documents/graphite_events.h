// Graphite's form of events, for its clients: POST /events/ and GET /events/get_data, over the same events as
// /api/v1/events (server/http/API.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/documents/event.h"
#include "server/documents/event_log.h"
#include "server/documents/write_answers.h"
#include "server/graphite/target_source.h"
#include "server/http/router.h"

namespace statmill {

// Parses {"what":…,"tags":[…] or "a b","data":…,"when":…}. Ignores other keys, as Graphite does. `now` is the
// time of an event without one. Errors: kInvalid.
Result<Event> parse_graphite_event(std::string_view body, Timestamp now);

// All must outlive the routes.
std::vector<Route> graphite_event_routes(EventLog& events, const WriteAnswers& writes, const Clock& clock);

// Returns what events() of Graphite's targets counts. `events` must outlive it.
std::function<std::vector<int64_t>(const graphite::EventRequest& request)> graphite_event_times(
    const EventLog& events);

}  // namespace statmill

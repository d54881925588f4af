// Graphite's form of events, for its clients: POST /events/ and GET /events/get_data, over the same events as
// /api/v1/events (server/http/API.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/documents/event.h"
#include "server/documents/event_log.h"
#include "server/documents/write_answers.h"
#include "server/http/router.h"

namespace statmill {

// Parses {"what":…,"tags":[…] or "a b","data":…,"when":…}. Ignores other keys, as Graphite does. `now` is the
// time of an event without one. Errors: kInvalid.
Result<Event> parse_graphite_event(std::string_view body, Timestamp now);

// All must outlive the routes.
std::vector<Route> graphite_event_routes(EventLog& events, const WriteAnswers& writes, const Clock& clock);

}  // namespace statmill

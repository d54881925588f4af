#include "server/documents/documents.h"

#include <iterator>
#include <utility>

#include "server/documents/dashboard_routes.h"
#include "server/documents/event_routes.h"
#include "server/documents/graphite_events.h"
#include "server/documents/setting_routes.h"
#include "server/documents/view_routes.h"

namespace statmill {
namespace {

constexpr const char* kStart = "start";
constexpr const char* kStop = "stop";

}  // namespace

Documents::Documents(const DocumentOptions& options, Duration patience, const Services& services)
    : services_(services),
      writes_(changes_, patience),
      events_(options.events, changes_, services.registry),
      dashboards_(options.dashboards, changes_, services.registry),
      files_(options.dashboards_dir),
      views_(options.views, changes_, services.registry),
      settings_({}, changes_, services.registry),
      agent_events_(services.agents, events_) {}

void Documents::restore(DocumentRows rows) {
  for (const DocumentRow& row : rows.rows) {
    switch (row.key.kind) {
      case DocumentKind::kEvent:
        if (auto event = event_of(row)) {
          events_.restore(*std::move(event));
          continue;
        }
        break;
      case DocumentKind::kDashboard:
        if (auto dashboard = dashboard_of(row)) {
          dashboards_.restore(*std::move(dashboard));
          continue;
        }
        break;
      case DocumentKind::kView:
        views_.restore(row);
        continue;
      case DocumentKind::kSettings:
        if (settings_.restore(row)) continue;
        break;
      case DocumentKind::kAlert:
        alerts_.push_back(row);
        continue;
    }
    rows.damaged.push_back(row.key);
  }
  for (const DocumentKey& key : rows.damaged) changes_.remove(key);
  if (!rows.damaged.empty())
    services_.log.error("events, dashboards, views or settings are damaged and lost",
                        {{"rows", rows.damaged.size()}});
  agent_events_.tick(TickTime::of(services_.clock));  // notes how agents were before the first one connects
}

std::vector<Route> Documents::routes() {
  std::vector<Route> routes = event_routes(events_, writes_, services_.clock);
  std::ranges::move(graphite_event_routes(events_, writes_, services_.clock), std::back_inserter(routes));
  std::ranges::move(dashboard_routes({dashboards_, files_, writes_, services_.clock}),
                    std::back_inserter(routes));
  std::ranges::move(view_routes(views_, writes_, services_.clock), std::back_inserter(routes));
  std::ranges::move(setting_routes(settings_, writes_, services_.clock), std::back_inserter(routes));
  return routes;
}

void Documents::tick(TickTime now) {
  agent_events_.tick(now);
  if (now.steady < next_expiry_) return;
  next_expiry_ = now.steady + kExpiryInterval;
  dashboards_.expire(now.wall);
}

void Documents::note_start(std::string_view version) {
  const std::optional<Event> last = events_.newest_own("server");
  const bool was_clean = !last || last->tags.back() == kStop;
  Event event{.time = services_.clock.wall(), .title = "the server started"};
  event.text = "version " + std::string(version);
  if (!was_clean) event.text += "; the last run ended without a stop";
  event.tags = {"server", kStart};
  events_.add_own(std::move(event));
  // Agents are as the store has them: what they tell from now on is new.
  agent_events_.tick(TickTime::of(services_.clock));
}

void Documents::note_stop() {
  Event event{.time = services_.clock.wall(), .title = "the server stopped"};
  event.tags = {"server", kStop};
  events_.add_own(std::move(event));
}

void Documents::note_change(std::string title, std::string text, std::string by) {
  Event event{.time = services_.clock.wall()};
  event.title = shortened_text(std::move(title), kEventTitleBytesMax);
  event.text = shortened_text(std::move(text), kEventTextBytesMax);
  event.tags = {"names"};
  event.by = std::move(by);
  events_.add_own(std::move(event));
}

}  // namespace statmill

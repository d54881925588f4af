// Reads any bytes as what clients post: an event, also in Graphite's form, a dashboard, a view. Each is
// refused with a reason, or is within its limits; an event and a dashboard survive a round trip through their
// rows. Any bytes as a row are decoded or refused.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/documents/dashboard_version.h"
#include "server/documents/event.h"
#include "server/documents/graphite_events.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Timestamp now(Duration(1'700'000'000'000));
  for (auto event : {parse_event(text, now), parse_graphite_event(text, now)}) {
    if (!event) {
      SM_CHECK(!event.error().message.empty());
      continue;
    }
    SM_CHECK(!event->title.empty() && event->title.size() <= kEventTitleBytesMax);
    SM_CHECK(event->text.size() <= kEventTextBytesMax && event->tags.size() <= kEventTagsMax);
    event->id = 1;
    const auto again = event_of(event_row(*event));
    SM_CHECK(again && *again == *event);
  }
  const DashboardCheck check = check_dashboard(text);
  SM_CHECK(check.faults.size() <= kDashboardFaultsMax);
  if (check.faults.empty()) {
    SM_CHECK(!check.summary.title.empty() && check.summary.panels <= kDashboardPanelsMax);
    const DashboardVersion version{
        .version = 1, .by = "a", .note = "b", .text = std::make_shared<const std::string>(text)};
    const auto again = dashboard_of(dashboard_row("a", version));
    SM_CHECK(again && *again->version.text == text);
  }
  const auto dashboard = dashboard_of({dashboard_key("a", 1), {}, std::string(text)});
  if (dashboard) {
    const auto again = dashboard_of(dashboard_row("a", dashboard->version));
    SM_CHECK(again && *again->version.text == *dashboard->version.text);
  }
  if (const auto row = event_of({event_key(1), {}, std::string(text)})) {
    const auto again = event_of(event_row(*row));
    SM_CHECK(again && *again == *row);
  }
  return 0;
}

#include "server/demo/demo_documents.h"

#include <string_view>

#include "server/demo/fleet.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr int64_t kDemoHour = 3600;
constexpr int64_t kDemoDay = 24 * kDemoHour;

struct DemoEvent {
  int64_t ago;  // seconds before the start
  std::string_view title;
  std::string_view text;
  std::string_view tag;
  std::string_view where = {};
  int64_t seconds = 0;  // how long it lasted; 0: no time
};

constexpr DemoEvent kDemoEvents[] = {
    {kBimodalAgo + 60, "deploy orders-db 2.8.0", "new index of orders, built in the background", "deploy",
     "host=db3.example.org"},
    {3 * kDemoHour + 1800, "deploy edge 0.9.1", "another cipher order", "deploy", "host=edge*"},
    {25 * kDemoHour, "deploy shop 1.13.1", "mends the checkout of 1.13.0", "deploy", "host=web*"},
    {26 * kDemoHour, "deploy shop 1.13.0", "a new checkout", "deploy", "host=web*"},
    {3 * kDemoDay, "deploy queue 4.2.0", "keeps failed messages for a day", "deploy", "host=queue*"},
    {6 * kDemoDay, "deploy shop 1.12.4", "translations", "deploy", "host=web*"},
    {25 * kDemoHour + 2400, "checkout is slow", "pages took 8 s; rolled forward to 1.13.1", "incident",
     "host=web*", 2700},
};

std::string demo_event_json(const DemoEvent& wanted, int64_t start_s) {
  std::string body;
  {
    JsonObject event(body);
    event.key("time") += std::to_string(start_s - wanted.ago);
    if (wanted.seconds > 0) event.key("until") += std::to_string(start_s - wanted.ago + wanted.seconds);
    event.text("title", wanted.title);
    event.text("text", wanted.text);
    {
      JsonArray tags(event.key("tags"));
      append_json_string(tags.element(), wanted.tag);
    }
    event.text("where", wanted.where);
  }
  return body;
}

constexpr std::string_view kBoardShop =
    R"({"format":1,"title":"Shop","folder":"shop","notes":"What customers notice first.","vars":[],"time":{"from":"-6h"},"panels":[)";
constexpr std::string_view kBoardOrders =
    R"({"at":[0,0,6,2],"title":"orders","series":["shop.orders;*"]},{"at":[6,0,6,2],"title":"requests by code","series":["shop.requests;*"],"stats":["rate"]})";
constexpr std::string_view kBoardBasket =
    R"(,{"at":[0,2,6,2],"kind":"heatmap","title":"what is in a basket","series":["shop.basket;*"],"stats":["p50","p99"]})";
constexpr std::string_view kBoardEvents =
    R"(,{"at":[6,2,6,2],"kind":"events","title":"what happened"},{"at":[0,4,6,2],"kind":"number","title":"visits per second","series":["shop.visits;*"],"stats":["rate"]})";

constexpr std::string_view kBoardDisks =
    R"({"format":1,"title":"Disks of databases","folder":"databases","vars":[{"name":"host","from":"tag:host"}],"time":{"from":"-2h"},"panels":[)";
constexpr std::string_view kBoardLatency =
    R"({"at":[0,0,12,2],"kind":"heatmap","title":"latency","series":["host.block.latency_ns;*host=$host*"],"stats":["p50","p99"]})";
constexpr std::string_view kBoardBytes =
    R"(,{"at":[0,2,6,2],"title":"bytes","series":["host.block.bytes;*host=$host*"]},{"at":[6,2,6,2],"title":"busy","series":["host.block.busy_ns;*host=$host*"]})";
constexpr const char* kJsonType = "Content-Type: application/json\r\n";
constexpr std::string_view kBoardEnd = "]}";

template <class... Parts>
std::string joined_parts(Parts... parts) {
  std::string out;
  (out.append(parts), ...);
  return out;
}

DemoRequest saved_request(std::string_view id, std::string_view note, bool is_new, std::string body) {
  return {.method = "PUT",
          .target = joined_parts("/api/v1/dashboards/", id, "?note=", note),
          .fields = std::string(kJsonType) + (is_new ? "If-None-Match: *\r\n" : "If-Match: *\r\n"),
          .body = std::move(body)};
}

}  // namespace

std::vector<DemoRequest> demo_events(int64_t start_s) {
  std::vector<DemoRequest> requests;
  for (const DemoEvent& event : kDemoEvents)
    requests.push_back({.method = "POST",
                        .target = "/api/v1/events",
                        .fields = kJsonType,
                        .body = demo_event_json(event, start_s)});
  return requests;
}

std::vector<DemoRequest> demo_dashboards() {
  return {
      saved_request("shop", "first%20try", true, joined_parts(kBoardShop, kBoardOrders, kBoardEnd)),
      saved_request("shop", "baskets", false,
                    joined_parts(kBoardShop, kBoardOrders, kBoardBasket, kBoardEnd)),
      saved_request("shop", "what%20happened%2C%20and%20visits", false,
                    joined_parts(kBoardShop, kBoardOrders, kBoardBasket, kBoardEvents, kBoardEnd)),
      saved_request("database-disks", "latency", true, joined_parts(kBoardDisks, kBoardLatency, kBoardEnd)),
      saved_request("database-disks", "bytes%20and%20busy", false,
                    joined_parts(kBoardDisks, kBoardLatency, kBoardBytes, kBoardEnd))};
}

}  // namespace statmill

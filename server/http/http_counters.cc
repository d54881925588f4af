#include "server/http/http_counters.h"

#include <array>
#include <string>

#include "base/check.h"

namespace statmill {
namespace {

constexpr auto kStatuses =
    std::to_array<unsigned>({200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 412, 413,
                             414, 415, 417, 421, 422, 428, 431, 500, 501, 503, 505});

}  // namespace

HttpCounters::HttpCounters(Registry& registry)
    : connections(registry.gauge("statmill.http_connections", "Open HTTP connections.")),
      handler_failures(
          registry.counter("statmill.http_handler_failures",
                           "Requests whose handler threw an exception; answered with status 500.")),
      accept_failures(
          registry.counter("statmill.http_accept_failures", "Failures to accept an HTTP connection.")) {
  for (const unsigned status : kStatuses) {
    requests_.emplace_back(status,
                           &registry.counter("statmill.http_requests", "HTTP answers sent, by status code.",
                                             {{"code", std::to_string(status)}}));
  }
  for (size_t i = 0; i < kHttpRefusalCount; ++i) {
    const std::string_view label = refusal_info(static_cast<HttpRefusal>(i)).label;
    refused_[i] =
        &registry.counter("statmill.http_refused",
                          "HTTP requests and connections refused before a handler saw them, by reason.",
                          {{"reason", std::string(label)}});
  }
}

Counter& HttpCounters::requests(unsigned status) {
  for (const auto& [code, counter] : requests_) {
    if (code == status) return *counter;
  }
  check_failed("a status that is counted", __FILE__, __LINE__);
}

}  // namespace statmill

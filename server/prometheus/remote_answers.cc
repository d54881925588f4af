#include "server/prometheus/remote_answers.h"

#include <functional>
#include <utility>

namespace statmill {

HttpResponse no_room() {
  HttpResponse response = error_response(503, kNoRoomText);
  response.may_retry = true;
  return response;
}

std::string refusal_text(const RemoteAccount& account) {
  const std::string reasons = account.reasons();
  if (reasons.empty()) return {};
  return std::to_string(account.refused_for_good()) + " of " + std::to_string(account.received) +
         " samples are refused, the others are stored: " + reasons;
}

void hold_until_durable(HttpResponse& response, RemoteTable& table, RemoteTable::Ticket ticket) {
  response.hold = [&table, ticket](std::function<void()> send) {
    table.when_durable(ticket, std::move(send));
  };
}

}  // namespace statmill

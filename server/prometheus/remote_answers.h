// What routes answer to senders whose samples go to a RemoteTable.
#pragma once

#include <string>
#include <string_view>

#include "server/http/http_message.h"
#include "server/prometheus/remote_pieces.h"
#include "server/prometheus/remote_table.h"

namespace statmill {

inline constexpr std::string_view kNoRoomText = "there is no room for more samples at present; send it again";

// 503 with Retry-After: senders drop what is answered with 429 unless they are set up otherwise.
HttpResponse no_room();
// "3 of 10 samples are refused, the others are stored: 2 too_old, 1 bad_name". Empty if no sample is refused
// for good.
std::string refusal_text(const RemoteAccount& account);
// Lets the session send the response once the samples of the ticket are in the store. The table must outlive
// the response.
void hold_until_durable(HttpResponse& response, RemoteTable& table, RemoteTable::Ticket ticket);

}  // namespace statmill

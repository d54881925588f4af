// The answers of requests that change a document: they wait until the change is in the store.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "server/http/http_message.h"
#include "server/tick/document_changes.h"

namespace statmill {

// Thread-safe.
class WriteAnswers {
 public:
  // `patience`: how long an answer waits for the store. `changes` must outlive it.
  WriteAnswers(DocumentChanges& changes, Duration patience) : changes_(changes), patience_(patience) {}

  // Returns the response once the change is durable; 503 if it is not in time.
  HttpResponse when_durable(DocumentChanges::Ticket ticket, HttpResponse response) const {
    if (changes_.wait_until_durable(ticket, patience_)) return response;
    return error_response(503,
                          "the change is made in memory, and is stored once the store takes ticks again");
  }

 private:
  DocumentChanges& changes_;
  const Duration patience_;
};

// Returns the segment of a path after its prefix. Requires: the path begins with it.
inline std::string_view path_after(std::string_view path, std::string_view prefix) {
  return path.substr(prefix.size());
}

}  // namespace statmill

// Fetches what a target answers to a scrape: one GET over a connection of its own, plain or TLS.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/net/name_lookups.h"
#include "base/net/tls_context.h"
#include "base/result.h"
#include "ingest/scrape/scrape_target.h"
#include "proto/prometheus/exposition_reader.h"

namespace statmill {

struct ScrapedBody {
  std::string text;
  ExpositionFormat format = ExpositionFormat::kText;
};

// How many bytes of bodies are in RAM. Confined to one thread.
struct BodyBudget {
  size_t used = 0;
  size_t max = 0;
};

// The parts that all fetches share. Each part must outlive them.
struct FetchServices {
  boost::asio::io_context& loop;
  NameLookups& names;
  BodyBudget& budget;
  size_t body_bytes_max;
  TlsContext* tls;  // null: https targets fail
};

// A fetch under way. Confined to the thread of the loop.
class Fetch {
 public:
  virtual ~Fetch() = default;
  // Ends the fetch soon; `done` is called with kUnavailable.
  virtual void cancel() = 0;
};

// Calls `done` on the loop, later, when the answer is complete, or with an error: kUnavailable (nobody
// answers within the target's timeout), kInvalid (the answer is no text of metrics, or not status 200),
// kLimit (the answer is too long, or there is no memory for it). Follows no redirects and asks for no
// compression.
std::shared_ptr<Fetch> fetch(const FetchServices& services, const ScrapeTarget& target,
                             std::function<void(Result<ScrapedBody>)> done);

}  // namespace statmill

// Scraper: scrapes the targets of the files of --scrape.targets, each once in its interval, on a thread of
// its own.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/net/event_thread.h"
#include "base/net/repeating_timer.h"
#include "base/net/tls_context.h"
#include "base/net/watchdog.h"
#include "base/result.h"
#include "ingest/scrape/fetch.h"
#include "ingest/scrape/scrape_board.h"
#include "ingest/scrape/scrape_options.h"
#include "ingest/scrape/target_files.h"
#include "statmill/registry.h"

namespace statmill {

// A scrape that has ended.
struct Scrape {
  const ScrapeTarget& target;
  Timestamp at;             // when it began: the time of its samples
  Duration took;            // until its answer was complete
  const ScrapedBody* body;  // null: it failed
};

class ScrapeSink {
 public:
  virtual ~ScrapeSink() = default;
  // Adds the values of the scrape, and those about it: up and so on. Called on the scraper's thread.
  virtual void scraped(const Scrape& scrape) = 0;
  // Called when a target is scraped no more, since it has left the files; not for that when the scraper
  // stops.
  virtual void removed(const ScrapeTarget& target) = 0;
};

// Call its functions from one thread, except for board().
class Scraper {
 public:
  static constexpr Duration kLookAtFiles = std::chrono::seconds(2);

  struct Services {  // all must outlive it
    ScrapeSink& sink;
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog* watchdog = nullptr;  // null: its loop is not watched
  };
  // Requires: options.is_on(). `options` must outlive it.
  Scraper(const ScrapeOptions& options, const Services& services);
  ~Scraper();

  // Reads the certificates to trust. Errors: kInvalid (--scrape.authority).
  Status open();
  // Starts the thread, which reads the files; a file that is missing or wrong is logged, and read again when
  // it has changed. Requires: open() succeeded.
  void start();
  // Cancels what is under way and ends the thread. After it the sink is not called any more. May be called
  // again.
  void stop();

  const ScrapeBoard& board() const { return board_; }

 private:
  struct Target;
  struct Counters {
    Counter& scrapes;
    Counter& failed;
    Counter& late;
  };

  void look_at_files();
  void use(std::vector<ScrapeTarget> targets);
  static void remove(Target& target);
  void wait(const std::shared_ptr<Target>& target);
  void due(const std::shared_ptr<Target>& target);
  void begin(const std::shared_ptr<Target>& target);
  void end(const std::shared_ptr<Target>& target, Result<ScrapedBody> body);
  void begin_next();

  const ScrapeOptions& options_;
  const Services services_;
  Counters counters_;
  ScrapeBoard board_;
  std::atomic<size_t> file_faults_{0};  // relaxed: it guards no other data
  std::shared_ptr<TlsContext> tls_;
  EventThread thread_;
  NameLookups names_{thread_.loop()};
  // Confined to the thread from start() on.
  TargetFiles files_;
  BodyBudget budget_;
  RepeatingTimer file_timer_;
  std::vector<std::shared_ptr<Target>> targets_;
  std::deque<std::weak_ptr<Target>> waiting_;  // for a connection
  size_t running_ = 0;
  bool is_stopped_ = false;
};

}  // namespace statmill

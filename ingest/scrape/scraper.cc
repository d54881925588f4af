#include "ingest/scrape/scraper.h"

#include <boost/asio/post.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/running.h"
#include "ingest/scrape/scraped_values.h"

namespace statmill {

namespace asio = boost::asio;

struct Scraper::Target {
  Target(asio::io_context& loop, ScrapeTarget target)
      : what(std::make_shared<const ScrapeTarget>(std::move(target))), timer(loop) {}

  const std::shared_ptr<const ScrapeTarget> what;
  asio::steady_timer timer;
  size_t index = 0;              // in targets_
  bool is_waiting = false;       // for a connection
  std::shared_ptr<Fetch> fetch;  // null: no scrape is under way
  bool is_removed = false;
  ScrapeState state;
  SteadyTime begun{};
};

Scraper::Scraper(const ScrapeOptions& options, const Services& services)
    : options_(options),
      services_(services),
      counters_{services.registry.counter("statmill.scrapes", "Scrapes of targets."),
                services.registry.counter("statmill.scrapes_failed", "Scrapes that got no metrics."),
                services.registry.counter("statmill.scrapes_late",
                                          "Scrapes that were left out, since the one before had not ended.")},
      files_(options, services.log),
      budget_{0, options.all_bodies_bytes_max},
      file_timer_(
          thread_.loop(), [] { return kLookAtFiles; }, [this] { look_at_files(); }) {
  services.registry.gauge_fn(
      "statmill.scrape_file_faults", "Files of targets that are missing or wrong.", {},
      [this] { return static_cast<double>(file_faults_.load(std::memory_order_relaxed)); });
  services.registry.gauge_fn("statmill.scrape_targets", "Targets that are scraped.", {},
                             [this] { return static_cast<double>(board_.size()); });
}

Scraper::~Scraper() { stop(); }

Status Scraper::open() {
  auto tls = client_tls(options_.authority);
  if (!tls) return tls.error();
  tls_ = *std::move(tls);
  return Status::ok();
}

void Scraper::start() {
  asio::post(thread_.loop(), [this] {
    look_at_files();
    file_timer_.start();
  });
  thread_.start(services_.log, "scrape", services_.watchdog);
}

void Scraper::stop() {
  if (is_stopped_) return;
  is_stopped_ = true;
  asio::post(thread_.loop(), [this] {
    file_timer_.stop();
    for (const auto& target : targets_) remove(*target);
    targets_.clear();
    board_.set({});
  });
  thread_.release();
  thread_.join();
}

void Scraper::look_at_files() {
  const Running running("files of targets");
  if (!files_.refresh()) return;
  file_faults_.store(files_.faults(), std::memory_order_relaxed);
  use(files_.targets());
}

// Targets that stay keep their state, and what is under way.
void Scraper::use(std::vector<ScrapeTarget> targets) {
  std::map<std::string, std::shared_ptr<Target>> before;
  for (auto& target : targets_) before.emplace(target->what->key(), std::move(target));
  targets_.clear();
  std::vector<ScrapeState> states;
  std::set<std::string> replaced;  // targets that stay, but with other settings
  for (ScrapeTarget& target : targets) {
    const auto found = before.find(target.key());
    const bool stays = found != before.end() && *found->second->what == target;
    auto next =
        stays ? std::move(found->second) : std::make_shared<Target>(thread_.loop(), std::move(target));
    if (stays) before.erase(found);
    if (!stays && found != before.end()) replaced.insert(found->first);
    next->index = targets_.size();
    next->state.target = next->what;
    states.push_back(next->state);
    targets_.push_back(next);
    if (!stays) wait(next);
  }
  board_.set(std::move(states));
  for (const auto& [key, target] : before) {
    remove(*target);
    if (!replaced.contains(key)) services_.sink.removed(*target->what);
  }
}

void Scraper::remove(Target& target) {
  target.is_removed = true;
  target.timer.cancel();
  if (target.fetch) target.fetch->cancel();
}

void Scraper::wait(const std::shared_ptr<Target>& target) {
  target->timer.expires_after(until_scrape(*target->what, services_.clock.wall()));
  target->timer.async_wait([this, target](const boost::system::error_code&) {
    if (target->is_removed) return;
    wait(target);
    due(target);
  });
}

void Scraper::due(const std::shared_ptr<Target>& target) {
  if (target->fetch || target->is_waiting) return counters_.late.add();
  if (running_ < options_.connections_max) return begin(target);
  target->is_waiting = true;
  waiting_.push_back(target);
}

void Scraper::begin(const std::shared_ptr<Target>& target) {
  ++running_;
  counters_.scrapes.add();
  target->state.at = services_.clock.wall();
  target->begun = services_.clock.steady();
  target->fetch = fetch({thread_.loop(), names_, budget_, options_.body_bytes_max, tls_.get()}, *target->what,
                        [this, target](Result<ScrapedBody> body) { end(target, std::move(body)); });
}

void Scraper::end(const std::shared_ptr<Target>& target, Result<ScrapedBody> body) {
  const Running running("a scrape");
  --running_;
  const std::shared_ptr<Fetch> fetch =
      std::move(target->fetch);  // the memory of the body counts until its end
  if (!target->is_removed) {
    ScrapeState& state = target->state;
    state.took = std::chrono::duration_cast<Duration>(services_.clock.steady() - target->begun);
    if (body && !is_whole(body->text, body->format))
      body = Error{ErrorCode::kInvalid, "the end of the answer is missing"};
    state.fault = body ? std::string() : body.error().message;
    if (!body) counters_.failed.add();
    services_.sink.scraped({*target->what, state.at, state.took, body ? &*body : nullptr});
    board_.update(target->index, state);
  }
  begin_next();
}

void Scraper::begin_next() {
  while (running_ < options_.connections_max && !waiting_.empty()) {
    const std::shared_ptr<Target> target = waiting_.front().lock();
    waiting_.pop_front();
    if (!target || target->is_removed) continue;
    target->is_waiting = false;
    begin(target);
  }
}

}  // namespace statmill

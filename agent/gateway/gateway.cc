#include "agent/gateway/gateway.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <limits>
#include <utility>

#include "base/running.h"

namespace statmill {
namespace {

constexpr Duration kMaintainInterval = std::chrono::seconds(1);

}  // namespace

// Until its first batch or gap, the connection of an agent that is not known has nothing but its hello.
class Gateway::Connection final : public AgentConnection {
 public:
  Connection(Gateway& gateway, std::shared_ptr<ForwardedAgent> agent, uint64_t number)
      : gateway_(gateway), agent_(std::move(agent)), number_(number) {}
  Connection(Gateway& gateway, const HelloFrame& hello, const std::shared_ptr<AgentObserver>& observer)
      : gateway_(gateway), observer_(observer) {
    append_frame(hello_, hello);
  }
  ~Connection() override {
    if (agent_) agent_->disconnect(number_);
  }

  bool has_room() const override { return gateway_.has_room() && (!agent_ || agent_->has_room()); }
  FrameResult accept(const BatchFrame& batch, TickTime now) override {
    if (const auto refused = register_agent(now)) return *refused;
    const FrameResult result = agent_->accept(number_, batch);
    if (result == FrameResult::kApplied) gateway_.sync_soon(agent_);
    if (result == FrameResult::kOtherBatch) gateway_.progressed(agent_);
    return result;
  }
  FrameResult accept(const GapFrame& gap, TickTime now) override {
    if (const auto refused = register_agent(now)) return *refused;
    return agent_->accept(number_, gap);
  }
  void note_status(const StatusFrame& status, std::optional<Duration> clock_ahead) override {
    if (agent_) return agent_->note_status(status, clock_ahead);
    status_.clear();
    append_frame(status_, status);
  }

 private:
  std::optional<FrameResult> register_agent(TickTime now) {
    if (agent_) return std::nullopt;
    const HelloFrame hello = *decode_hello(read_frame(hello_).payload);
    // Another connection may have registered the id since.
    if (gateway_.find(hello.id) != gateway_.agents_.end()) return FrameResult::kReplaced;
    auto added = gateway_.add(hello);
    if (!std::holds_alternative<std::shared_ptr<ForwardedAgent>>(added)) return FrameResult::kLimit;
    const auto connection = std::get<0>(added)->connect(hello, observer_.lock(), now);
    if (!connection) return FrameResult::kLimit;
    agent_ = std::get<0>(added);
    number_ = *connection;
    if (!status_.empty())
      agent_->note_status(*decode_status(read_frame(status_).payload), hello.clock - now.wall);
    gateway_.failed_if(agent_->maintain(now.wall), *agent_);
    return std::nullopt;
  }

  Gateway& gateway_;
  std::string hello_;  // as frames, while the agent is not known
  std::string status_;
  std::weak_ptr<AgentObserver> observer_;  // which owns this
  std::shared_ptr<ForwardedAgent> agent_;  // null: not known
  uint64_t number_ = 0;
};

Gateway::Gateway(const Services& services, const GatewayOptions& options, Upstream upstream,
                 AgentDirectories directories)
    : services_(services),
      options_(options),
      upstream_(std::move(upstream)),
      names_(services.io),
      directories_(std::move(directories)),
      timer_(
          services.io, [] { return kMaintainInterval; }, [this] { tick(); }) {}

Gateway::~Gateway() = default;

Result<std::unique_ptr<Gateway>> Gateway::open(const Services& services, const GatewayOptions& options,
                                               Upstream upstream, std::string path) {
  auto directories = AgentDirectories::open(std::move(path));
  if (!directories) return std::move(directories).error();
  const auto ids = directories->list();
  if (!ids) return ids.error();
  std::unique_ptr<Gateway> gateway(
      new Gateway(services, options, std::move(upstream), std::move(*directories)));
  gateway->unopened_.insert(ids->begin(), ids->end());
  boost::asio::post(services.io, [gateway = gateway.get()] { gateway->open_next(); });
  gateway->timer_.start();
  return gateway;
}

// One at a time, so that connections are answered in between.
void Gateway::open_next() {
  if (is_stopped_ || unopened_.empty()) return;
  const Running running("the spool's disk");
  if (!open_agent(*unopened_.begin())) return;  // the next try is by tick()
  boost::asio::post(services_.io, [this] { open_next(); });
}

bool Gateway::open_agent(const AgentId& id) {
  auto agent = ForwardedAgent::open(agent_services(), directories_.path_of(id), id);
  if (agent) {
    agents_.emplace(id, std::move(*agent));
    unopened_.erase(id);
    return true;
  }
  failed("batches of an agent cannot be read", id, agent.error());
  opens_next_ = services_.clock.steady() + kRetryInterval;
  if (agent.error().code != ErrorCode::kCorrupt) return false;
  const Status aside = directories_.put_aside(id);
  if (!aside) {
    failed("damaged batches of an agent cannot be put aside", id, aside.error());
    return false;
  }
  unopened_.erase(id);
  return true;
}

ForwardedAgent::Services Gateway::agent_services() {
  return {services_.io,
          services_.log,
          services_.clock,
          names_,
          upstream_,
          [this](ForwardedAgent& agent) {
            if (const auto found = agents_.find(agent.id()); found != agents_.end())
              progressed(found->second);
          },
          link_log_};
}

Gateway::Agents::iterator Gateway::find(const AgentId& id) {
  if (unopened_.contains(id)) open_agent(id);
  return agents_.find(id);
}

std::variant<AgentHost::Opened, RefuseReason> Gateway::open(const HelloFrame& hello, const LineSender&,
                                                            const std::shared_ptr<AgentObserver>& observer,
                                                            TickTime now) {
  const Running running("the spool's disk");
  if (const auto reason = why_refused(hello)) return *reason;
  const auto known = agents_.find(hello.id);
  if (known == agents_.end() || known->second->epoch() != hello.acknowledged.epoch) {
    return Opened{.connection = std::make_unique<Connection>(*this, hello, observer),
                  .durable = {{.epoch = hello.acknowledged.epoch}, std::nullopt},
                  .accepts_ahead = false};
  }
  const auto& agent = known->second;
  if (!agent->is_synced()) sync(*agent);
  if (!agent->is_synced()) return RefuseReason::kStopping;
  const auto connection = agent->connect(hello, observer, now);
  if (!connection) {
    failed("an agent cannot be noted", agent->id(), connection.error());
    return RefuseReason::kStopping;
  }
  failed_if(agent->maintain(now.wall), *agent);
  return Opened{.connection = std::make_unique<Connection>(*this, agent, *connection),
                .durable = {agent->durable(), std::nullopt},
                .lines_refused = agent->lines_refused(),
                .accepts_ahead = false};
}

std::optional<RefuseReason> Gateway::why_refused(const HelloFrame& hello) {
  const uint32_t epoch = hello.acknowledged.epoch;
  if (hello.hops >= kHopsMax || epoch == std::numeric_limits<uint32_t>::max()) return RefuseReason::kProtocol;
  if (const auto found = conflicts_.find(hello.id); found != conflicts_.end()) {
    const Conflict& conflict = found->second;
    if (services_.clock.steady() >= conflict.until)
      conflicts_.erase(found);
    else if (conflict.secret == hello.secret && epoch <= conflict.epoch)
      return conflict.reason;
  }
  const auto known = find(hello.id);
  if (unopened_.contains(hello.id)) return RefuseReason::kStopping;
  if (known == agents_.end()) return std::nullopt;
  const ForwardedAgent& agent = *known->second;
  if (agent.secret() != hello.secret) return RefuseReason::kOwner;
  if (agent.epoch() > epoch) return RefuseReason::kFenced;
  if (agent.is_connected() && agent.hops() < hello.hops) return RefuseReason::kReplaced;
  if (agent.is_late(hello)) return RefuseReason::kStopping;
  if (agent.epoch() == epoch) return std::nullopt;
  // The servers refuse batches of an epoch once they know a later one.
  if (!agent.is_done()) return RefuseReason::kStopping;
  const Status forgotten = forget(known);
  return forgotten ? std::nullopt : std::optional(RefuseReason::kStopping);
}

std::variant<std::shared_ptr<ForwardedAgent>, RefuseReason> Gateway::add(const HelloFrame& hello) {
  if (agents_.size() + unopened_.size() >= options_.agents_max && !make_room()) return RefuseReason::kLimit;
  auto agent = begin(hello);
  if (agent) return agents_.emplace(hello.id, std::move(*agent)).first->second;
  failed("an agent cannot be added", hello.id, agent.error());
  return RefuseReason::kStopping;
}

Result<std::unique_ptr<ForwardedAgent>> Gateway::begin(const HelloFrame& hello) {
  const auto path = directories_.unfinished(hello.id);
  if (!path) return path.error();
  auto agent = ForwardedAgent::begin(agent_services(), *path, hello);
  if (!agent) return agent;
  if (Status published = directories_.publish(hello.id); !published) return std::move(published).error();
  return agent;
}

// Forgets the agent that was here longest ago and has nothing left to send. It loses nothing: when it
// returns, a server knows what it has.
bool Gateway::make_room() {
  auto oldest = agents_.end();
  for (auto it = agents_.begin(); it != agents_.end(); ++it) {
    if (it->second->is_connected() || !it->second->is_done()) continue;
    if (oldest == agents_.end() || it->second->seen() < oldest->second->seen()) oldest = it;
  }
  return oldest != agents_.end() && static_cast<bool>(forget(oldest));
}

// After an error the agent is still there.
Status Gateway::forget(Agents::iterator agent) {
  const AgentId id = agent->first;
  if (Status removed = directories_.remove(id); !removed) {
    failed("batches of an agent cannot be removed", id, removed.error());
    return removed;
  }
  const std::shared_ptr<ForwardedAgent> forgotten = std::move(agent->second);
  agents_.erase(agent);
  unsynced_.erase(forgotten);
  progressed_.erase(forgotten);
  lines_left_ += forgotten->lines_accepted();
  lines_dropped_ += forgotten->spool_stats().lines_dropped();
  forgotten->stop();
  return Status::ok();
}

// One sync for all batches of an agent that arrive together.
void Gateway::sync_soon(const std::shared_ptr<ForwardedAgent>& agent) {
  const bool was_empty = unsynced_.empty();
  unsynced_.insert(agent);
  if (was_empty) boost::asio::post(services_.io, [this] { sync_next(); });
}

// One at a time, so that connections are answered in between.
void Gateway::sync_next() {
  if (unsynced_.empty()) return;
  const std::shared_ptr<ForwardedAgent> agent = *unsynced_.begin();
  unsynced_.erase(unsynced_.begin());
  sync(*agent);
  if (!unsynced_.empty()) boost::asio::post(services_.io, [this] { sync_next(); });
}

void Gateway::sync(ForwardedAgent& agent) {
  const Running running("the spool's disk");
  failed_if(agent.sync(), agent);
}

void Gateway::failed_if(const Status& status, const ForwardedAgent& agent) {
  if (!status) failed("batches of an agent cannot be written", agent.id(), status.error());
}

void Gateway::failed(std::string_view what, const AgentId& id, const Error& error) {
  ++failures_;
  const int64_t held_back = failure_log_.admit(services_.clock.steady());
  if (held_back < 0) return;
  services_.log.error(what, {{"id", short_id(id)}, {"reason", error.message}, {"held_back", held_back}});
}

// Called inside handlers of connections, which an agent that is dropped would take away.
void Gateway::progressed(const std::shared_ptr<ForwardedAgent>& agent) {
  const bool was_empty = progressed_.empty();
  progressed_.insert(agent);
  if (was_empty) boost::asio::post(services_.io, [this] { look_for_conflicts(); });
}

void Gateway::look_for_conflicts() {
  for (const auto& agent : std::exchange(progressed_, {})) {
    const std::string why = agent->conflict();
    const auto found = agents_.find(agent->id());
    if (!why.empty() && found != agents_.end() && found->second == agent) drop(found, why);
  }
}

// The agent takes a new identity when it is refused. What is here of the old one can never be sent: a server
// has other batches with these numbers.
void Gateway::drop(Agents::iterator agent, const std::string& why) {
  ForwardedAgent& one = *agent->second;
  const uint64_t lines = one.spool_lines();
  if (const int64_t held_back = conflict_log_.admit(services_.clock.steady()); held_back >= 0) {
    services_.log.warn("batches of an agent are dropped: a server has others under its identity",
                       {{"host", one.host()},
                        {"id", short_id(agent->first)},
                        {"reason", why},
                        {"lines", lines},
                        {"held_back", held_back}});
  }
  const auto earliest =
      std::ranges::min_element(conflicts_, {}, [](const auto& conflict) { return conflict.second.until; });
  if (conflicts_.size() >= options_.agents_max) conflicts_.erase(earliest);
  const RefuseReason reason = one.is_fenced() ? RefuseReason::kFenced : RefuseReason::kOwner;
  conflicts_.insert_or_assign(
      agent->first, Conflict{one.secret(), one.epoch(), reason, services_.clock.steady() + kConflictPause});
  one.refuse(reason);
  if (forget(agent)) lines_dropped_ += lines;
}

// Tries again what has failed, and forgets who has been away for long.
void Gateway::tick() {
  const Running running("the spool's disk");
  const SteadyTime now = services_.clock.steady();
  if (!unopened_.empty() && now >= opens_next_) open_next();
  const Duration forget_after = std::max(options_.forget_after, upstream_.spool.keep_for);
  for (auto it = agents_.begin(); it != agents_.end();) {
    const auto agent = it++;
    ForwardedAgent& one = *agent->second;
    if (!one.is_synced()) sync(one);
    failed_if(one.maintain(services_.clock.wall()), one);
    if (!one.conflict().empty()) progressed(agent->second);
    if (!one.is_connected() && one.is_done() && now - one.seen() >= forget_after)
      static_cast<void>(forget(agent));
  }
  publish();
}

void Gateway::publish() {
  GatewayFigures figures{.lines = lines_left_, .lines_dropped = lines_dropped_, .failures = failures_};
  for (const auto& [id, agent] : agents_) {
    const SpoolStats spool = agent->spool_stats();
    figures.agents += agent->is_connected() ? 1U : 0U;
    figures.lines += agent->lines_accepted();
    figures.lines_dropped += spool.lines_dropped();
    figures.lines_waiting += agent->lines_lacked();
    figures.spool_bytes += spool.bytes;
  }
  spool_bytes_ = figures.spool_bytes;
  services_.publish(figures);
}

void Gateway::stop() {
  is_stopped_ = true;
  timer_.stop();
  for (const auto& agent : std::exchange(unsynced_, {})) sync(*agent);
  for (const auto& [id, agent] : agents_) agent->stop();
}

}  // namespace statmill

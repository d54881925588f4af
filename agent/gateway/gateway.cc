#include "agent/gateway/gateway.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/running.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr Duration kMaintainInterval = std::chrono::seconds(1);

}  // namespace

class Gateway::Connection final : public AgentConnection {
 public:
  Connection(Gateway& gateway, std::shared_ptr<ForwardedAgent> agent, uint64_t number)
      : gateway_(gateway), agent_(std::move(agent)), number_(number) {}
  ~Connection() override { agent_->disconnect(number_); }

  bool has_room() const override { return agent_->has_room(); }
  FrameResult accept(const BatchFrame& batch, TickTime) override {
    const FrameResult result = agent_->accept(number_, batch);
    if (result == FrameResult::kApplied) gateway_.sync_soon(agent_);
    if (result == FrameResult::kOtherBatch) gateway_.progressed();
    return result;
  }
  FrameResult accept(const GapFrame& gap, TickTime) override { return agent_->accept(number_, gap); }
  void note_status(const StatusFrame& status, std::optional<Duration> clock_ahead) override {
    agent_->note_status(status, clock_ahead);
  }

 private:
  Gateway& gateway_;
  const std::shared_ptr<ForwardedAgent> agent_;
  const uint64_t number_;
};

Gateway::Gateway(const Services& services, const GatewayOptions& options, Upstream upstream, std::string path)
    : services_(services),
      options_(options),
      upstream_(std::move(upstream)),
      path_(std::move(path)),
      timer_(
          services.io, [] { return kMaintainInterval; }, [this] { tick(); }) {}

Gateway::~Gateway() = default;

Result<std::unique_ptr<Gateway>> Gateway::open(const Services& services, const GatewayOptions& options,
                                               Upstream upstream, const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return Error{ErrorCode::kIo, path + ": " + std::generic_category().message(errno)};
  std::unique_ptr<Gateway> gateway(new Gateway(services, options, std::move(upstream), path));
  if (Status opened = gateway->open_agents(); !opened) return std::move(opened).error();
  gateway->timer_.start();
  return gateway;
}

Status Gateway::open_agents() {
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const auto id = AgentId::parse(name);
    if (!id) continue;
    auto agent = ForwardedAgent::open(agent_services(), it->path().string());
    if (agent)
      agents_.emplace(*id, std::move(*agent));
    else
      failed("batches of an agent cannot be read", name, agent.error());
  }
  if (error) return Error{ErrorCode::kIo, path_ + ": " + error.message()};
  return Status::ok();
}

ForwardedAgent::Services Gateway::agent_services() {
  return {services_.io, services_.log, services_.clock, upstream_, [this] { progressed(); }};
}

std::variant<AgentHost::Opened, RefuseReason> Gateway::open(const HelloFrame& hello, const LineSender&,
                                                            const std::shared_ptr<AgentObserver>& observer,
                                                            TickTime now) {
  const Running running("the spool's disk");
  auto found = find_or_add(hello);
  if (const auto* reason = std::get_if<RefuseReason>(&found)) return *reason;
  const auto& agent = std::get<0>(found);
  if (!agent->is_synced()) sync(*agent);
  if (!agent->is_synced()) return RefuseReason::kStopping;
  const auto connection = agent->connect(hello, observer, now);
  if (!connection) {
    failed("an agent cannot be noted", short_id(agent->id()), connection.error());
    return RefuseReason::kStopping;
  }
  failed_if(agent->maintain(now.wall), *agent);
  return Opened{.connection = std::make_unique<Connection>(*this, agent, *connection),
                .durable = {agent->durable(), std::nullopt},
                .lines_refused = agent->lines_refused(),
                .accepts_ahead = false};
}

std::variant<std::shared_ptr<ForwardedAgent>, RefuseReason> Gateway::find_or_add(const HelloFrame& hello) {
  if (const auto conflict = conflicts_.find(hello.id); conflict != conflicts_.end()) {
    if (services_.clock.steady() < conflict->second) return RefuseReason::kOwner;
    conflicts_.erase(conflict);
  }
  const auto known = agents_.find(hello.id);
  if (known == agents_.end()) return add(hello);
  const ForwardedAgent& agent = *known->second;
  if (agent.secret() != hello.secret) return RefuseReason::kOwner;
  if (agent.epoch() > hello.acknowledged.epoch) return RefuseReason::kFenced;
  if (agent.epoch() == hello.acknowledged.epoch) return known->second;
  // The servers refuse batches of an epoch once they know a later one.
  if (!agent.is_done()) return RefuseReason::kStopping;
  forget(known);
  return add(hello);
}

std::variant<std::shared_ptr<ForwardedAgent>, RefuseReason> Gateway::add(const HelloFrame& hello) {
  if (agents_.size() >= options_.agents_max && !make_room()) return RefuseReason::kLimit;
  auto agent = ForwardedAgent::begin(agent_services(), path_of(hello.id), hello);
  if (!agent) {
    failed("an agent cannot be added", short_id(hello.id), agent.error());
    return RefuseReason::kStopping;
  }
  return agents_.emplace(hello.id, std::move(*agent)).first->second;
}

// Forgets the agent that was here longest ago and has nothing left to send. It loses nothing: when it
// returns, a server knows what it has.
bool Gateway::make_room() {
  auto oldest = agents_.end();
  for (auto it = agents_.begin(); it != agents_.end(); ++it) {
    if (it->second->is_connected() || !it->second->is_done()) continue;
    if (oldest == agents_.end() || it->second->seen() < oldest->second->seen()) oldest = it;
  }
  if (oldest == agents_.end()) return false;
  forget(oldest);
  return true;
}

void Gateway::forget(Agents::iterator agent) {
  const std::shared_ptr<ForwardedAgent> forgotten = std::move(agent->second);
  const AgentId id = agent->first;
  agents_.erase(agent);
  unsynced_.erase(forgotten);
  lines_left_ += forgotten->lines_accepted();
  lines_dropped_ += forgotten->spool_stats().lines_dropped();
  forgotten->stop();
  remove_files(id);
}

void Gateway::remove_files(const AgentId& id) {
  std::error_code error;
  fs::remove_all(path_of(id), error);
  if (error) failed("batches of an agent cannot be removed", short_id(id), {ErrorCode::kIo, error.message()});
}

// One sync for all batches that arrive together.
void Gateway::sync_soon(const std::shared_ptr<ForwardedAgent>& agent) {
  const bool was_empty = unsynced_.empty();
  unsynced_.insert(agent);
  if (was_empty) boost::asio::post(services_.io, [this] { sync(); });
}

void Gateway::sync() {
  for (const auto& agent : std::exchange(unsynced_, {})) sync(*agent);
}

void Gateway::sync(ForwardedAgent& agent) {
  const Running running("the spool's disk");
  failed_if(agent.sync(), agent);
}

void Gateway::failed_if(const Status& status, const ForwardedAgent& agent) {
  if (!status) failed("batches of an agent cannot be written", short_id(agent.id()), status.error());
}

void Gateway::failed(std::string_view what, const std::string& id, const Error& error) {
  ++failures_;
  const int64_t held_back = failure_log_.admit(services_.clock.steady());
  if (held_back < 0) return;
  services_.log.error(what, {{"id", id}, {"reason", error.message}, {"held_back", held_back}});
}

// Called inside handlers of connections, which an agent that is dropped would take away.
void Gateway::progressed() {
  if (std::exchange(is_check_due_, true)) return;
  boost::asio::post(services_.io, [this] { drop_conflicts(); });
}

// The agent takes a new identity when it is refused. What is left of the old one can never be sent: a server
// has other batches with these numbers.
void Gateway::drop_conflicts() {
  is_check_due_ = false;
  for (auto it = agents_.begin(); it != agents_.end();) {
    const auto agent = it++;
    const std::string why = agent->second->conflict();
    if (why.empty()) continue;
    const uint64_t lines = agent->second->lines_lacked();
    services_.log.warn(
        "batches of an agent are dropped: no server will accept them",
        {{"host", agent->second->host()}, {"id", short_id(agent->first)}, {"reason", why}, {"lines", lines}});
    lines_dropped_ += lines;
    if (conflicts_.size() >= options_.agents_max) conflicts_.erase(conflicts_.begin());
    conflicts_[agent->first] = services_.clock.steady() + kConflictPause;
    agent->second->refuse(RefuseReason::kOwner);
    forget(agent);
  }
}

// Tries again what has failed, and forgets who has been away for long.
void Gateway::tick() {
  const Running running("the spool's disk");
  for (auto it = agents_.begin(); it != agents_.end();) {
    const auto agent = it++;
    ForwardedAgent& one = *agent->second;
    if (!one.is_synced()) sync(one);
    failed_if(one.maintain(services_.clock.wall()), one);
    const bool was_here = services_.clock.steady() - one.seen() < options_.forget_after;
    if (!one.is_connected() && one.is_done() && !was_here) forget(agent);
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
  services_.publish(figures);
}

void Gateway::stop() {
  timer_.stop();
  sync();
  for (const auto& [id, agent] : agents_) agent->stop();
}

}  // namespace statmill

#include "agent/gateway/forwarded_agent.h"

#include <algorithm>
#include <utility>

#include "agent/spool/identity.h"
#include "agent/spool/spool_reader.h"
#include "base/check.h"

namespace statmill {
namespace {

// The agent's last hello, as a frame of the wire format: what servers get while the agent is away.
constexpr const char* kHelloFile = "hello";

// After the agent has gone to a server by itself. An agent takes a new identity if it is replaced three times
// in Delivery::kReplacedInterval.
constexpr Duration kReplacedPause = Delivery::kReplacedInterval / 2;

// An agent that makes a batch later than a batch with a higher number is not the one that made that.
constexpr Duration kClockStepMax = std::chrono::minutes(1);

template <class Frame>
std::string bytes_of(const Frame& frame) {
  std::string bytes;
  append_frame(bytes, frame);
  return bytes;
}

// What a server gets of the hello, but for the times and the token.
std::string lasting(HelloFrame hello) {
  hello.acknowledged = {.epoch = hello.acknowledged.epoch};
  hello.clock = {};
  hello.uptime = {};
  hello.token = {};
  ++hello.hops;
  return bytes_of(hello);
}

std::optional<HelloFrame> read_hello(std::string_view bytes) {
  const FrameRead frame = read_frame(bytes);
  if (frame.state != FrameRead::State::kWhole || frame.type != FrameType::kHello) return std::nullopt;
  return decode_hello(frame.payload);
}

}  // namespace

struct ForwardedAgent::Server {
  Server(ForwardedAgent& agent, DeliveryOptions delivery_options, ServerLinkOptions link_options)
      : delivery(*agent.spool_, std::move(delivery_options)),
        link(std::make_shared<ServerLink>(agent.services_.io, agent.services_.log, agent.services_.clock,
                                          delivery, std::move(link_options), agent.services_.progressed)) {}

  Delivery delivery;
  std::shared_ptr<ServerLink> link;
  SteadyTime connects_at{};  // not before
};

ForwardedAgent::ForwardedAgent(const Services& services, std::unique_ptr<DiskDirectory> directory,
                               std::string hello)
    : services_(services), directory_(std::move(directory)), hello_(std::move(hello)) {}

ForwardedAgent::~ForwardedAgent() = default;

Result<std::unique_ptr<ForwardedAgent>> ForwardedAgent::open(const Services& services,
                                                             const std::string& path) {
  auto directory = DiskDirectory::open(path);
  if (!directory) return std::move(directory).error();
  // Read before the spool is opened, which would make a new identity in place of a damaged one.
  const auto identity = (*directory)->read(std::string(kIdentityFile), 0, kIdentityBytesMax);
  if (!identity) return identity.error();
  if (auto decoded = decode_identity(*identity); !decoded) return std::move(decoded).error();
  auto hello = (*directory)->read(kHelloFile, 0, kHelloBytesMax + kFrameHeaderBytes);
  if (!hello) return std::move(hello).error();
  if (!read_hello(*hello)) return Error{ErrorCode::kCorrupt, "the file `hello` is damaged"};
  std::unique_ptr<ForwardedAgent> agent(
      new ForwardedAgent(services, std::move(*directory), std::move(*hello)));
  if (Status opened = agent->open_spool(); !opened) return std::move(opened).error();
  return agent;
}

Result<std::unique_ptr<ForwardedAgent>> ForwardedAgent::begin(const Services& services,
                                                              const std::string& path,
                                                              const HelloFrame& hello) {
  auto directory = DiskDirectory::open(path);
  if (!directory) return std::move(directory).error();
  std::unique_ptr<ForwardedAgent> agent(new ForwardedAgent(services, std::move(*directory), {}));
  if (Status stored = agent->store_hello(hello); !stored) return std::move(stored).error();
  SpoolIdentity identity{.id = hello.id, .secret = hello.secret, .epoch = hello.acknowledged.epoch};
  if (auto begun = begin_numbering(*agent->directory_, identity); !begun) return std::move(begun).error();
  if (Status opened = agent->open_spool(); !opened) return std::move(opened).error();
  return agent;
}

// The identity has no location: a copy of it is as good, since only the agent makes batches.
Status ForwardedAgent::open_spool() {
  auto spool = Spool::open(*directory_, services_.upstream.spool, SpoolLocation(), random_bits);
  if (!spool) return std::move(spool).error();
  if ((*spool)->recovery_report().identity != RecoveryReport::Identity::kKept)
    return Error{ErrorCode::kCorrupt, "the numbers of its batches are lost"};
  spool_ = std::move(*spool);
  durable_ = {.epoch = spool_->epoch(), .seq = spool_->durable_seq(), .lines = spool_->lines()};
  SpoolReader reader(*spool_);
  reader.seek(durable_.seq);
  const auto last = reader.next();
  if (!last) return last.error();
  if (*last && (*last)->seq == durable_.seq) durable_.time = (*last)->time;
  accepted_ = stored_ = durable_;
  seen_ = services_.clock.steady();
  make_servers();
  return Status::ok();
}

void ForwardedAgent::make_servers() {
  const Upstream& upstream = services_.upstream;
  for (size_t i = 0; i < upstream.servers.size(); ++i) {
    servers_.push_back(std::make_unique<Server>(
        *this,
        DeliveryOptions{.server = i,
                        .token = upstream.token,
                        .passed_hello = [this](Timestamp now) { return hello(now); },
                        .passed_status = [this](Timestamp now) { return status(now); }},
        ServerLinkOptions{.server = upstream.servers[i],
                          .tls = upstream.tls,
                          .tls_name = upstream.tls_name,
                          .seed = upstream.seed ^ spool_->id().bytes[0] ^ i,
                          .is_quiet = true}));
  }
}

std::string ForwardedAgent::host() const { return std::string(read_hello(hello_)->host); }

Status ForwardedAgent::store_hello(const HelloFrame& hello) {
  std::string bytes = lasting(hello);
  if (bytes == hello_) return Status::ok();
  if (Status stored = directory_->replace(kHelloFile, bytes); !stored) return stored;
  if (Status synced = directory_->sync(); !synced) return synced;
  hello_ = std::move(bytes);
  return Status::ok();
}

HelloFrame ForwardedAgent::hello(Timestamp now) const {
  HelloFrame hello = *read_hello(hello_);
  hello.clock = now + clock_ahead_;
  if (booted_ != Timestamp()) hello.uptime = now - booted_;
  return hello;
}

StatusFrame ForwardedAgent::status(Timestamp now) const {
  StatusFrame status;
  if (!status_.empty()) status = *decode_status(read_frame(status_).payload);
  status.clock = now + clock_ahead_;
  status.lines_dropped += spool_->stats().lines_dropped();
  return status;
}

Result<uint64_t> ForwardedAgent::connect(const HelloFrame& hello, std::shared_ptr<AgentObserver> observer,
                                         TickTime now) {
  if (Status stored = store_hello(hello); !stored) return std::move(stored).error();
  refuse(RefuseReason::kReplaced);
  observer_ = std::move(observer);
  accepted_ = stored_ = durable_;  // a gap that no batch has followed is sent again
  clock_ahead_ = hello.clock - now.wall;
  booted_ = hello.uptime > Duration(0) ? now.wall - hello.uptime : Timestamp();
  seen_ = now.steady;
  return ++connection_;
}

void ForwardedAgent::disconnect(uint64_t connection) {
  if (connection != connection_) return;
  observer_.reset();
  seen_ = services_.clock.steady();
}

void ForwardedAgent::refuse(RefuseReason reason) {
  if (const auto observer = std::exchange(observer_, nullptr)) observer->on_ended(reason);
  ++connection_;
}

uint64_t ForwardedAgent::lines_refused() const {
  uint64_t lines = 0;
  for (const auto& server : servers_) lines += server->delivery.stats().lines_refused;
  return lines;
}

bool ForwardedAgent::has_room() const {
  const size_t unsynced = spool_->stats().bytes_unsynced;
  const size_t bytes = kFrameBytesMax + kFrameHeaderBytes;
  return unsynced + bytes <= services_.upstream.spool.unsynced_bytes_max && !spool_->is_full_for(bytes);
}

bool ForwardedAgent::contradicts(const AgentPosition& made) const {
  return std::any_of(servers_.begin(), servers_.end(), [&](const auto& server) {
    const AgentPosition& had = server->delivery.acknowledged().position;
    if (made.seq == 0 || had.time == Timestamp()) return false;
    if (had.seq == made.seq) return had.time != made.time || had.lines != made.lines;
    return had.seq > made.seq && made.time > had.time + kClockStepMax;
  });
}

FrameResult ForwardedAgent::accept(uint64_t connection, const BatchFrame& batch) {
  if (connection != connection_) return FrameResult::kReplaced;
  const bool follows = batch.seq == accepted_.seq + 1 && batch.lines_before == accepted_.lines;
  if (!follows || batch.seq >= kSeqMax || batch.lines_before >= kSeqMax) return FrameResult::kGap;
  const AgentPosition made{epoch(), batch.seq, batch.lines_before + batch.lines, batch.time};
  if (contradicts(made)) return FrameResult::kOtherBatch;
  if (batch.seq != spool_->next_seq()) {  // after a gap
    if (const Status synced = sync(); !synced) return FrameResult::kGap;
    spool_->skip_to({batch.seq - 1, batch.lines_before}, gap_reason_);
  }
  spool_->append(batch);
  accepted_ = stored_ = made;
  lines_accepted_ += batch.lines;
  return FrameResult::kApplied;
}

FrameResult ForwardedAgent::accept(uint64_t connection, const GapFrame& gap) {
  if (connection != connection_) return FrameResult::kReplaced;
  if (gap.first != accepted_.seq + 1 || gap.lines_before < accepted_.lines || gap.seq >= kSeqMax)
    return FrameResult::kGap;
  accepted_ = {.epoch = epoch(), .seq = gap.seq, .lines = gap.lines_before, .time = gap.time};
  gap_reason_ = gap.reason;
  return FrameResult::kApplied;
}

void ForwardedAgent::note_status(const StatusFrame& status, std::optional<Duration> clock_ahead) {
  status_ = bytes_of(status);
  if (clock_ahead) clock_ahead_ = *clock_ahead;
}

Status ForwardedAgent::sync() {
  if (Status synced = spool_->sync(); !synced) return synced;
  if (durable_ != stored_) {
    durable_ = stored_;
    if (observer_) observer_->on_durable({.seq = durable_.seq, .lines_refused = lines_refused()});
  }
  for (const auto& server : servers_) {
    if (!server->link->is_stopped()) server->link->pump();
  }
  return Status::ok();
}

// An agent that is not here any more may have connected to a server by itself. It must not be replaced there
// again and again by what is left here.
Status ForwardedAgent::maintain(Timestamp now) {
  const SteadyTime steady = services_.clock.steady();
  for (const auto& server : servers_) {
    const bool is_left = !is_connected() && server->delivery.was_replaced();
    const bool has_reason = is_connected() || !server->delivery.is_done();
    if (!server->link->is_stopped()) {
      if (is_left) server->connects_at = steady + kReplacedPause;
      if (is_left || !has_reason) server->link->stop();
    } else if (has_reason && (is_connected() || steady >= server->connects_at)) {
      server->link->start();
    }
  }
  return spool_->trim(now);
}

bool ForwardedAgent::is_done() const {
  return is_synced() && std::all_of(servers_.begin(), servers_.end(),
                                    [](const auto& server) { return server->delivery.is_done(); });
}

std::string ForwardedAgent::conflict() const {
  for (const auto& server : servers_) {
    if (!server->delivery.conflict().empty()) return server->delivery.conflict();
  }
  return contradicts(stored_) ? "a server has another batch of this number" : std::string();
}

uint64_t ForwardedAgent::lines_lacked() const {
  uint64_t lacked = 0;
  for (const auto& server : servers_) {
    const uint64_t had = server->delivery.acknowledged().position.lines;
    lacked = std::max(lacked, stored_.lines - std::min(stored_.lines, had));
  }
  return std::min(lacked, spool_->lines_stored());
}

void ForwardedAgent::stop() {
  refuse(RefuseReason::kStopping);
  for (const auto& server : servers_) server->link->stop();
  static_cast<void>(spool_->save_acknowledged());  // only spares work at the next start
}

}  // namespace statmill

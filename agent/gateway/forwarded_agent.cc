#include "agent/gateway/forwarded_agent.h"

#include <algorithm>
#include <utility>

#include "agent/spool/identity.h"
#include "agent/spool/spool_reader.h"
#include "proto/added_tags.h"

namespace statmill {
namespace {

// The agent's last hello, as a frame of the wire format: what servers get while the agent is away.
constexpr const char* kHelloFile = "hello";

// After the agent has gone to a server by itself. An agent takes a new identity if it is replaced three times
// in Delivery::kReplacedInterval.
constexpr Duration kReplacedPause = Delivery::kReplacedInterval / 2;

// An agent that makes a batch later than one with a higher number is not the one that made that, unless its
// clock was set back in between.
constexpr Duration kClockStepMax = std::chrono::minutes(1);

template <class Frame>
std::string bytes_of(const Frame& frame) {
  std::string bytes;
  append_frame(bytes, frame);
  return bytes;
}

// Returns the frame of what servers get of the hello, without the times and the token.
std::string lasting(HelloFrame hello) {
  hello.acknowledged = {.epoch = hello.acknowledged.epoch};
  hello.clock = {};
  hello.uptime = {};
  hello.token = {};
  ++hello.hops;
  return bytes_of(hello);
}

// Returns the hello that servers get if the file with the agent's own one is lost.
std::string unknown_hello(const SpoolIdentity& identity) {
  const std::string host = short_id(identity.id);
  return bytes_of(
      HelloFrame{.id = identity.id, .acknowledged = {.epoch = identity.epoch}, .host = host, .hops = 1});
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
        link(std::make_shared<ServerLink>(ServerLink::Services{agent.services_.io, agent.services_.log,
                                                               agent.services_.clock, agent.services_.names},
                                          delivery, std::move(link_options), [&agent] {
                                            agent.look_replaced();
                                            agent.services_.progressed(agent);
                                          })) {}

  Delivery delivery;
  std::shared_ptr<ServerLink> link;
  SteadyTime connects_at{};  // not before
};

ForwardedAgent::ForwardedAgent(const Services& services, std::unique_ptr<DiskDirectory> directory,
                               std::string hello)
    : services_(services), directory_(std::move(directory)), hello_(std::move(hello)) {}

ForwardedAgent::~ForwardedAgent() = default;

Result<std::unique_ptr<ForwardedAgent>> ForwardedAgent::open(const Services& services,
                                                             const std::string& path, const AgentId& id) {
  auto directory = DiskDirectory::open(path);
  if (!directory) return std::move(directory).error();
  // These are read before the spool is opened, which would begin again in place of what is lost.
  const auto text = (*directory)->read(std::string(kIdentityFile), 0, kIdentityBytesMax);
  if (!text && text.error().code != ErrorCode::kNotFound) return text.error();
  const auto identity = decode_identity(text ? *text : std::string());
  if (!identity) return identity.error();
  const auto names = (*directory)->list();
  if (!names) return names.error();
  const bool has_segments = std::any_of(
      names->begin(), names->end(), [](const auto& name) { return parse_segment_name(name).has_value(); });
  if (identity->id != id || !identity->has_begun || !has_segments)
    return Error{ErrorCode::kCorrupt, "its identity is another's, or its batches are missing"};
  auto hello = (*directory)->read(kHelloFile, 0, kHelloBytesMax + kFrameHeaderBytes);
  if (!hello && hello.error().code != ErrorCode::kNotFound) return std::move(hello).error();
  const bool is_known = hello && read_hello(*hello);
  std::unique_ptr<ForwardedAgent> agent(new ForwardedAgent(
      services, std::move(*directory), is_known ? std::move(*hello) : unknown_hello(*identity)));
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
                          .limiter = &services_.link_log}));
  }
}

std::string ForwardedAgent::host() const { return std::string(read_hello(hello_)->host); }

uint8_t ForwardedAgent::hops() const { return static_cast<uint8_t>(read_hello(hello_)->hops - 1); }

bool ForwardedAgent::is_late(const HelloFrame& hello) const {
  return is_connected() && is_late_hello(hello, read_hello(hello_)->boot_id, hello_clock_);
}

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

std::optional<StatusFrame> ForwardedAgent::status(Timestamp now) const {
  if (status_.empty()) return std::nullopt;
  StatusFrame status = *decode_status(read_frame(status_).payload);
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
  hello_clock_ = hello.clock;
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
    const bool is_set_back = made.time > services_.clock.wall() + clock_ahead_ + kClockStepMax;
    return had.seq > made.seq && made.time > had.time + kClockStepMax && !is_set_back;
  });
}

FrameResult ForwardedAgent::accept(uint64_t connection, const BatchFrame& batch) {
  if (connection != connection_) return FrameResult::kReplaced;
  const bool follows = batch.seq == accepted_.seq + 1 && batch.lines_before == accepted_.lines;
  if (!follows || batch.seq >= kSeqMax || batch.lines_before >= kSeqMax) return FrameResult::kGap;
  const AgentPosition made{epoch(), batch.seq, batch.lines_before + batch.lines, batch.time};
  if (!AddedTags::read(batch.tags) || batch.text.empty() || batch.lines == 0) return FrameResult::kInvalid;
  is_contradicted_ = is_contradicted_ || contradicts(made);
  if (is_contradicted_) return FrameResult::kOtherBatch;
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

// After an error the batches may be on disk all the same: then it was in the removal of old ones.
Status ForwardedAgent::sync() {
  Status synced = spool_->sync();
  if (!is_synced()) return synced;
  if (durable_ != stored_) {
    durable_ = stored_;
    if (observer_) observer_->on_durable({.seq = durable_.seq, .lines_refused = lines_refused()});
  }
  for (const auto& server : servers_) {
    if (!server->link->is_stopped()) server->link->pump();
  }
  return synced;
}

Status ForwardedAgent::maintain(Timestamp now) {
  const SteadyTime steady = services_.clock.steady();
  for (const auto& server : servers_) {
    if (server->delivery.has_been_welcome()) server->delivery.report_acknowledged();
    const bool has_reason = is_connected() || !is_done();
    if (!server->link->is_stopped()) {
      if (!has_reason) server->link->stop();
    } else if (has_reason && (is_connected() || steady >= server->connects_at)) {
      server->link->start();
    }
  }
  return spool_->trim(now);
}

// An agent that is not here any more may have connected to a server by itself. It must not be replaced there
// again and again by what is left here.
void ForwardedAgent::look_replaced() {
  for (const auto& server : servers_) {
    if (is_connected() || !server->delivery.take_replaced()) continue;
    server->connects_at = services_.clock.steady() + kReplacedPause;
    server->link->stop();
  }
}

bool ForwardedAgent::is_done() const {
  const bool was_done = spool_->saved_acknowledged().seq >= spool_->durable_seq();
  return is_synced() && std::all_of(servers_.begin(), servers_.end(), [&](const auto& server) {
           return server->delivery.has_been_welcome() ? server->delivery.is_done() : was_done;
         });
}

std::string ForwardedAgent::conflict() const {
  for (const auto& server : servers_) {
    if (!server->delivery.conflict().empty()) return server->delivery.conflict();
  }
  return is_contradicted_ || contradicts(stored_) ? "a server has other batches of this agent"
                                                  : std::string();
}

bool ForwardedAgent::is_fenced() const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [](const auto& server) { return server->delivery.is_fenced(); });
}

uint64_t ForwardedAgent::lines_lacked() const {
  uint64_t lacked = 0;
  for (const auto& server : servers_) {
    const uint64_t had = server->delivery.has_been_welcome() ? server->delivery.acknowledged().position.lines
                                                             : spool_->saved_acknowledged().lines;
    lacked = std::max(lacked, stored_.lines - std::min(stored_.lines, had));
  }
  return std::min(lacked, spool_->lines_stored());
}

void ForwardedAgent::stop() {
  refuse(RefuseReason::kStopping);
  for (const auto& server : servers_) server->link->stop();
  static_cast<void>(spool_->save_acknowledged());  // so that the next start need not ask the servers
}

}  // namespace statmill

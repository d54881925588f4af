#include "tools/statmill-bench/query_server.h"

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

#include "tools/statmill-bench/sender.h"

namespace statmill {
namespace {

// Samples in RAM wait until they are flushed by command.
const std::vector<std::string> kOptions = {"--flush.interval", "24h", "--pending.bytes", "8G"};

class Statmill final : public QueryServer {
 public:
  Statmill(ServerProcess server, bool is_pending) : server_(std::move(server)), is_pending_(is_pending) {}

  std::string_view name() const override { return {}; }
  std::string_view api() const override { return kStatmillApi; }
  Endpoint http() const override { return server_.http(); }
  ProcessMeter meter() const override { return server_.meter(); }

  Status load(const QueryData& data) override {
    if (Status s = send_samples(server_, data); !s) return s;
    if (is_pending_) return Status::ok();
    if (Status s = server_.flush(); !s) return s;
    return restart();
  }

  Status restart() override {
    server_.stop(SIGTERM);
    return server_.start_again(kOptions);
  }

 private:
  ServerProcess server_;
  const bool is_pending_;
};

}  // namespace

Status send_samples(const ServerProcess& server, const QueryData& data) {
  constexpr size_t kStreamSamples = 1'000'000;  // that are in memory as text
  // The first tick finds nothing to roll up, so that what is older goes to the coarser tiers at once.
  if (Status s = server.wait_until_durable(); !s) return s;
  const auto before = server.counts("tcp");
  if (!before) return before.error();
  const size_t slots = std::max<size_t>(1, kStreamSamples * data.slots() / data.samples());
  for (size_t slot = 0; slot < data.slots(); slot += slots) {
    std::vector<Stream> streams;
    streams.push_back(data.stream(slot, std::min(slot + slots, data.slots())));
    const auto sent = send({.server = server.address().line}, streams, {.count = 1});
    if (!sent) return sent.error();
  }
  const auto after =
      server.wait_for_received("tcp", before->received + data.samples(), std::chrono::seconds(30));
  if (!after) return after.error();
  const uint64_t accepted = after->since(*before).accepted;
  if (accepted != data.samples()) {
    return Error{ErrorCode::kLimit, "the server took " + std::to_string(accepted) + " of " +
                                        std::to_string(data.samples()) + " samples"};
  }
  return server.wait_until_durable();
}

Result<std::unique_ptr<QueryServer>> start_statmill(const StatmillQueryOptions& options) {
  auto server =
      ServerProcess::start({.program = options.program, .options = kOptions, .parent = options.parent});
  if (!server) return server.error();
  return std::unique_ptr<QueryServer>(std::make_unique<Statmill>(*std::move(server), options.is_pending));
}

}  // namespace statmill

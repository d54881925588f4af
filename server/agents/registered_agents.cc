#include "server/agents/registered_agents.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "proto/tagged_name.h"
#include "server/agents/table_intake.h"

namespace statmill {
namespace {

class RegisteredConnection final : public AgentConnection {
 public:
  RegisteredConnection(AgentRegistry& agents, AgentIntake& intake, AgentRegistry::Lease lease)
      : agents_(agents), intake_(intake), lease_(std::move(lease)) {}
  ~RegisteredConnection() override { agents_.close(lease_); }

  bool has_room() const override { return intake_.has_room(); }

  FrameResult accept(const BatchFrame& batch, TickTime now) override {
    auto tags = AddedTags::read(batch.tags);
    if (!tags) return FrameResult::kInvalid;
    LineBlock lines{.text = batch.text,
                    .sender = lease_.sender,
                    .tags = std::move(*tags),
                    .now = agents_.time_for_lines(now)};
    return agents_.accept(lease_, batch, now, applier(std::move(lines), batch.time));
  }

  FrameResult accept(const GapFrame& gap, TickTime now) override {
    const LineBlock lines{.sender = lease_.sender, .now = now.wall};
    return agents_.accept(lease_, gap, now, applier(lines, gap.time));
  }

  void note_status(const StatusFrame& status, std::optional<Duration> clock_ahead) override {
    agents_.note_status(lease_, status, clock_ahead);
  }

 private:
  AgentRegistry::ApplyLines applier(LineBlock lines, Timestamp sent) {
    return [this, lines = std::move(lines), sent](LinesAction action,
                                                  const AgentRegistry::OnApplied& on_applied) mutable {
      lines.action = action;
      intake_.apply(lines, sent, on_applied);
    };
  }

  AgentRegistry& agents_;
  AgentIntake& intake_;
  const AgentRegistry::Lease lease_;
};

class TableAgents final : public RegisteredAgents {
 public:
  TableAgents(AgentRegistry& agents, Table& table, Intake& intake)
      : RegisteredAgents(agents, intake_), intake_(table, intake) {}

 private:
  TableIntake intake_;
};

}  // namespace

std::unique_ptr<AgentHost> make_agent_host(AgentRegistry& agents, Table& table, Intake& intake) {
  return std::make_unique<TableAgents>(agents, table, intake);
}

std::variant<AgentHost::Opened, RefuseReason> RegisteredAgents::open(
    const HelloFrame& hello, const LineSender& sender, const std::shared_ptr<AgentObserver>& observer,
    TickTime now) {
  auto opened = agents_.open(hello, sender, observer, now);
  if (const auto* reason = std::get_if<RefuseReason>(&opened)) return *reason;
  auto& [lease, durable, lines_refused] = std::get<AgentRegistry::Opened>(opened);
  return Opened{.connection = std::make_unique<RegisteredConnection>(agents_, intake_, std::move(lease)),
                .durable = durable,
                .lines_refused = lines_refused};
}

// While the server's own clock is suspect, an agent whose clock agrees with it is still accepted: two clocks
// rarely have the same error, and the doubt may last for weeks.
AgentHost::ClockLimit RegisteredAgents::clock_limit(TickTime now) const {
  const AgentLimits& limits = agents_.limits();
  const bool is_suspect = agents_.is_clock_suspect(now);
  return {.difference_max = is_suspect
                                ? std::min(limits.clock_difference_max_suspect, limits.clock_difference_max)
                                : limits.clock_difference_max,
          .is_suspect = is_suspect};
}

}  // namespace statmill

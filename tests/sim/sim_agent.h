// SimAgent: a simulated machine with an agent: the real spool on a disk that fails, or in memory that is lost
// with the process, a real delivery to each server, and a wall clock that can be stepped.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/spool/spool.h"
#include "tests/sim/causes.h"
#include "tests/sim/ledger.h"
#include "tests/sim/sim_link.h"
#include "tests/sim/sim_server.h"
#include "tests/sim/stage.h"
#include "tests/support/faulty_spool_directory.h"

namespace statmill::sim {

// Confined to the stage's thread; everything in Uses must outlive it.
class SimAgent {
 public:
  struct Uses {
    Stage& stage;
    Ledger& ledger;
    Causes& causes;
    std::vector<std::unique_ptr<SimServer>>& servers;
    ConnectionWatch watch;
    SpoolOptions spool;
    uint32_t lines_max = 1;  // per batch
    bool is_ephemeral = false;
  };
  // `location` is the number of the machine that the agent detects: that of another machine for a clone
  // without any difference.
  SimAgent(const Uses& uses, size_t number, size_t location, std::unique_ptr<FaultySpoolDirectory> disk);
  ~SimAgent();

  // Events in its life.
  void start();  // retries until the spool opens
  void kill();
  void cut_power();
  // Kills the agent and removes its segments.
  void lose_segments();
  // Kills the agent and moves its disk to another machine.
  void move(size_t location);
  void sleep(Duration time);
  void fail_disk(uint64_t one_in, SteadyTime until);
  void step_clock(Duration by) { wall_ahead_ += by; }
  bool is_clock_wrong() const { return std::chrono::abs(wall_ahead_) > kClockRight; }
  void set_clock_right() { wall_ahead_ = Duration(0); }
  std::unique_ptr<FaultySpoolDirectory> copy_disk() { return disk_->copy(uses_.stage.chance.bits()); }
  bool is_up() const { return spool_ != nullptr; }
  bool is_ephemeral() const { return uses_.is_ephemeral; }
  AgentId id() const { return spool_->id(); }  // requires: is_up()
  size_t number() const { return number_; }
  size_t location() const { return location_; }
  // The current numbering. Reports an identity change since the last call to the ledger.
  const std::string& series();

  void collect();
  // True if all collected lines are durable and acknowledged by the stores of all servers.
  bool is_done();
  void check_end(SimServer& server, bool has_lost_nothing);
  const Spool* spool() const { return spool_.get(); }
  std::string name() const { return "agent " + std::to_string(number_); }

 private:
  void tick();
  void sync();
  void pump();
  Timestamp wall() const;
  void die(bool is_silent);
  void use(std::unique_ptr<FaultySpoolDirectory> disk);
  void check_identity_change(size_t server, std::optional<RefuseReason> refused);
  void count_given_up();
  void check(const Ledger::Violation& found) const;
  // Calls `what` after the delay unless the process has ended by then.
  void later(Duration delay, void (SimAgent::*what)());

  Uses uses_;
  const size_t number_;
  size_t location_;
  std::unique_ptr<FaultySpoolDirectory> disk_;
  Duration wall_ahead_{0};
  uint64_t disk_fails_one_in_ = 0;
  SteadyTime disk_fails_until_{};
  uint64_t life_ = 0;             // events of earlier lives do nothing
  std::unique_ptr<Spool> spool_;  // null: it is down
  std::vector<std::shared_ptr<SimLink>> links_;
  bool is_sync_due_ = false;
  uint64_t given_up_ = 0;   // lines counted in this life
  uint64_t abandoned_ = 0;  // lines given up with an identity, counted in this life
  std::string series_;      // of the current numbering
  AgentId id_{};            // of the current numbering
};

}  // namespace statmill::sim

// World: agents, servers, the network between them, and their faults, all determined by one seed.
//
// First, faults occur for a while. The seed also selects their kinds, so that all combinations occur and none
// hides the others. Then the faults stop, and everything must arrive within a bounded time.
#pragma once

#include <bitset>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/ledger.h"
#include "tests/sim/sim_agent.h"
#include "tests/sim/sim_server.h"
#include "tests/sim/stage.h"

namespace statmill::sim {

enum class Fault : uint8_t {
  kAgentKilled,
  kPowerCut,
  kSegmentsLost,
  kServerCrash,
  kStoreFails,
  kStoreRestored,
  kDiskFails,
  kConnectionCut,
  kCutInside,  // after some more bytes
  kStall,
  kConversationReplayed,
  kClone,           // on a machine that differs from the first
  kIdenticalClone,  // on a machine without any difference
  kMoved,           // the disk is moved to another machine
  kClockStep,
  kTableFull,
  kServerClockStep,
  kDayPasses,
  kStranger,
  kCount,
};

class World {
 public:
  static constexpr size_t kAgentsMax = 4;  // including clones
  static constexpr Duration kDay = std::chrono::hours(25);

  // The same seed always runs the same world.
  explicit World(uint64_t seed);
  ~World();

  // Runs to the end, or to the first violation.
  void play();
  const Stage& stage() const { return stage_; }
  uint64_t lines() const { return ledger_.lines_made(); }

 private:
  SpoolOptions spool_options();
  void add_agent(std::unique_ptr<FaultySpoolDirectory> disk, std::optional<size_t> location = std::nullopt);
  void copy(SimAgent& agent);
  void clone(SimAgent& agent);
  void watch(const std::shared_ptr<Connection>& connection);
  void play_for(Duration time);
  void collect(size_t agent, uint64_t interval_ms);
  void tick(size_t server);
  void inject_faults();
  void inject(Fault fault);
  void inject_into_agent(Fault fault, SimAgent& agent);
  void inject_into_server(Fault fault, SimServer& server);
  void inject_into_connection(Fault fault, Connection& connection);
  void replay_conversation();
  void send(size_t server, std::string words);
  uint32_t note_claims(size_t server, std::string_view words);
  void check_answer(std::string_view answer, uint32_t epoch);
  void skip_a_day();
  void send_stranger(size_t server);
  void heal();
  bool is_done() const;
  void check_end();

  Stage stage_;
  Ledger ledger_;
  Causes causes_;
  std::bitset<static_cast<size_t>(Fault::kCount)> faults_;
  const uint64_t pace_ms_;  // maximum time between faults
  SpoolOptions spool_;
  const uint32_t lines_max_;
  std::vector<std::unique_ptr<SimServer>> servers_;
  std::vector<std::unique_ptr<SimAgent>> agents_;
  std::vector<std::weak_ptr<Connection>> connections_;
  std::vector<std::string> conversations_;  // that agents once had
  const bool are_agents_limited_;           // the servers' tables have room for few agents
  uint64_t days_ = 0;                       // number of skipped days
  size_t next_location_ = kAgentsMax;       // a machine that was never used
  bool has_clone_ = false;                  // two agents share an identity
  bool was_restored_ = false;               // the store of some server
  bool is_healed_ = false;                  // no more faults occur
};

}  // namespace statmill::sim

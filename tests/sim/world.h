// World: agents, servers, the network between them, and all that may go wrong, by one seed.
//
// First things go wrong for a while; which kinds of them do is of the seed, too, so that each meets each, and
// none hides the others. Then they stop, and all must arrive in a bounded time.
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
  kStoreSetBack,
  kDiskFails,
  kConnectionCut,
  kCutInside,  // after some more bytes
  kStall,
  kConversationAgain,
  kClone,       // on a machine that can be told from the first
  kClonePlace,  // on one that cannot
  kMoved,       // the disk is, to another machine
  kClockStep,
  kTableFull,
  kServerClockStep,
  kDayPasses,
  kStranger,
  kCount,
};

class World {
 public:
  static constexpr size_t kAgentsMax = 4;  // clones included

  // The same seed plays the same.
  explicit World(uint64_t seed);
  ~World();

  // Plays to the end, or to the first violation.
  void play();
  const Stage& stage() const { return stage_; }
  uint64_t lines() const { return ledger_.lines_made(); }

 private:
  SpoolOptions spool_options();
  void add_agent(std::unique_ptr<FaultySpoolDirectory> disk, std::optional<size_t> place = std::nullopt);
  void copy(SimAgent& agent);
  void clone(SimAgent& agent);
  void watch(const std::shared_ptr<Connection>& connection);
  void play_for(Duration time);
  void collect(size_t agent, uint64_t interval_ms);
  void tick(size_t server);
  void go_wrong();
  void meet(Fault fault);
  void meet_agent(Fault fault, SimAgent& agent);
  void meet_server(Fault fault, SimServer& server);
  void meet_connection(Fault fault, Connection& connection);
  void say_again();
  void say(size_t server, std::string words);
  uint32_t note_words(size_t server, std::string_view words);
  void hear(std::string_view answer, uint32_t epoch);
  void pass_a_day();
  void meet_stranger(size_t server);
  void come_to_rest();
  bool is_done() const;
  void check_end();

  Stage stage_;
  Ledger ledger_;
  Causes causes_;
  std::bitset<static_cast<size_t>(Fault::kCount)> faults_;
  const uint64_t pace_ms_;  // between faults, at most
  SpoolOptions spool_;
  const uint32_t lines_max_;
  std::vector<std::unique_ptr<SimServer>> servers_;
  std::vector<std::unique_ptr<SimAgent>> agents_;
  std::vector<std::weak_ptr<Connection>> connections_;
  std::vector<std::string> conversations_;  // as agents once had them
  const bool is_place_short_;               // in the servers' tables of agents
  uint64_t days_ = 0;                       // that have passed
  size_t next_place_ = kAgentsMax;          // of a machine that nobody had before
  bool has_clone_ = false;                  // two agents with one identity
  bool was_set_back_ = false;               // a server was
  bool is_at_rest_ = false;                 // nothing goes wrong any more
};

}  // namespace statmill::sim

// RuleEngine: evaluates the rules of the files in --rules, each group once in its interval, on a thread of
// its own.
//
// A group is evaluated at times T that are multiples of its interval, at the moment T + query_offset, so that
// the slots before T have what hosts have just sent. What it records for T is in the slot that ends at T: a
// query at T finds what the expression was then.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/net/event_thread.h"
#include "base/net/repeating_timer.h"
#include "server/rules/group_run.h"
#include "server/rules/rule_board.h"
#include "server/rules/rule_files.h"
#include "statmill/registry.h"
#include "storage/document_row.h"

namespace statmill::rules {

// Call its functions from one thread, except for board().
class RuleEngine {
 public:
  static constexpr Duration kLookAtFiles = std::chrono::seconds(2);

  struct Services {  // all must outlive it
    RuleSource& source;
    RuleSink& sink;
    AlertSink& alerts;
    DocumentChanges& changes;
    Registry& registry;
    const Clock& clock;
    Log& log;
  };
  // Requires: options.is_on(). `options` must outlive it.
  RuleEngine(const RuleOptions& options, const Services& services);
  ~RuleEngine();

  // Puts in the alerts of before the start. Damaged ones are removed, and logged.
  void restore(const std::vector<DocumentRow>& rows);
  // Reads the files and starts the thread.
  void start();
  // Cancels the rule that is being evaluated, and ends the thread. May be called again.
  void stop();

  const RuleBoard& board() const { return board_; }

 private:
  struct Group;

  void look_at_files();
  void use(const RuleFiles::Groups& groups);
  void claim(GroupRun& run);
  void forget_unclaimed();
  void wait(const std::shared_ptr<Group>& group);
  void due(Group& group);
  void publish();

  const Services services_;
  AlertBudget budget_;
  Counter& missed_;
  GroupRun::Services run_services_;
  RuleBoard board_;
  std::atomic<size_t> file_faults_{0};  // written by the thread; relaxed: it guards no other data
  std::atomic<size_t> active_{0};       // alerts; the same
  std::atomic<bool> is_ending_{false};  // written by stop(), read by the thread; relaxed: the same
  EventThread thread_;  // no watchdog: queries have their own, and a group may take longer than a loop
  // Confined to the thread from start() on.
  RuleFiles files_;
  RepeatingTimer file_timer_;
  std::vector<std::shared_ptr<Group>> groups_;
  // What rules had that are not evaluated any more, or not yet; by rule_id().
  std::map<std::string, GroupRun::Kept> unclaimed_;
  bool is_stopped_ = false;
};

// The newest multiple of `interval` that is at least `offset` before `now`.
Timestamp due_time(Timestamp now, Duration interval, Duration offset);

}  // namespace statmill::rules

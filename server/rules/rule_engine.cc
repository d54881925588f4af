#include "server/rules/rule_engine.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/running.h"
#include "server/rules/alert_row.h"

namespace statmill::rules {

namespace asio = boost::asio;

struct RuleEngine::Group {
  Group(asio::io_context& loop, std::shared_ptr<const RuleGroup> of, const GroupRun::Services& services)
      : run(std::move(of), services), timer(loop) {}

  GroupRun run;
  asio::steady_timer timer;
  size_t index = 0;    // in the board
  Timestamp newest{};  // the time of the newest evaluation; 0: there was none
  bool is_removed = false;
};

Timestamp due_time(Timestamp now, Duration interval, Duration offset) {
  const auto since = (now - offset).time_since_epoch();
  return Timestamp(since - since % interval);
}

RuleEngine::RuleEngine(const RuleOptions& options, const Services& services)
    : services_(services),
      budget_{0, options.alerts_max},
      missed_(services.registry.counter(
          "statmill.rule_groups_missed",
          "Evaluations of groups of rules that did not happen, since the one before took too long.")),
      run_services_{options,
                    services.source,
                    services.sink,
                    services.alerts,
                    services.changes,
                    budget_,
                    services.clock,
                    is_ending_,
                    services.registry.counter("statmill.rules_evaluated", "Evaluations of rules."),
                    services.registry.counter("statmill.rules_failed", "Evaluations of rules that failed."),
                    services.registry.counter(
                        "statmill.alerts_unsaved",
                        "Changes of alerts that were not stored, since the store takes no ticks.")},
      files_(options, services.log),
      file_timer_(
          thread_.loop(), [] { return kLookAtFiles; }, [this] { look_at_files(); }) {
  services.registry.gauge_fn("statmill.rules", "Rules that are evaluated.", {}, [this] {
    size_t out = 0;
    for (const auto& group : board_.groups()) out += group->rules.size();
    return static_cast<double>(out);
  });
  services.registry.gauge_fn(
      "statmill.rule_file_faults", "Folders and files of rules that cannot be read or have errors.", {},
      [this] { return static_cast<double>(file_faults_.load(std::memory_order_relaxed)); });
  services.registry.gauge_fn("statmill.alerts_active", "Alerts that are pending or firing.", {},
                             [this] { return static_cast<double>(active_.load(std::memory_order_relaxed)); });
}

RuleEngine::~RuleEngine() { stop(); }

void RuleEngine::restore(const std::vector<DocumentRow>& rows) {
  size_t damaged = 0;
  for (const DocumentRow& row : rows) {
    if (auto alert = alert_of(row)) {
      unclaimed_[rule_id_of(row.key)].alerts.insert(*std::move(alert));
    } else {
      services_.changes.remove(row.key);
      ++damaged;
    }
  }
  if (damaged > 0) services_.log.error("alerts are damaged and lost", {{"rows", damaged}});
}

void RuleEngine::start() {
  asio::post(thread_.loop(), [this] {
    look_at_files();
    file_timer_.start();
  });
  thread_.start(services_.log, "rules");
}

void RuleEngine::stop() {
  if (is_stopped_) return;
  is_stopped_ = true;
  is_ending_.store(true, std::memory_order_relaxed);
  services_.source.stop();
  asio::post(thread_.loop(), [this] {
    file_timer_.stop();
    for (const auto& group : groups_) {
      group->is_removed = true;
      group->timer.cancel();
    }
  });
  thread_.release();
  thread_.join();
}

void RuleEngine::look_at_files() {
  const Running running("files of rules");
  const bool has_changed = files_.refresh();
  file_faults_.store(files_.faults(), std::memory_order_relaxed);
  if (has_changed) {
    use(files_.groups());
  } else if (files_.faults() == 0) {
    // Only now: a file that is being replaced may have been absent or cut short. And while one is at fault,
    // its rules may come back, and what is left may be theirs.
    forget_unclaimed();
  }
}

// Groups that stay keep their alerts, and so does a rule of a changed group if it is still the same one.
void RuleEngine::use(const RuleFiles::Groups& groups) {
  std::map<const RuleGroup*, std::shared_ptr<Group>> before;
  std::vector<std::shared_ptr<Group>> next;
  for (auto& group : groups_) before.emplace(&group->run.group(), std::move(group));
  groups_.clear();
  for (const auto& what : groups) {
    const auto found = before.find(what.get());
    const bool stays = found != before.end();
    next.push_back(stays ? std::move(found->second) : nullptr);
    if (stays) before.erase(found);
  }
  for (const auto& [what, group] : before) {
    group->is_removed = true;
    group->timer.cancel();
    for (size_t i = 0; i < group->run.size(); ++i) {
      GroupRun::Kept kept = group->run.take(i);
      if (!kept.alerts.empty() || !kept.series.empty())
        unclaimed_.insert_or_assign(group->run.id(i), std::move(kept));
    }
  }
  before.clear();
  for (size_t i = 0; i < groups.size(); ++i) {
    std::shared_ptr<Group>& group = next[i];
    if (!group) {
      group = std::make_shared<Group>(thread_.loop(), groups[i], run_services_);
      claim(group->run);
      wait(group);
    }
    group->index = i;
  }
  groups_ = std::move(next);
  publish();
}

void RuleEngine::claim(GroupRun& run) {
  for (size_t i = 0; i < run.size(); ++i) {
    auto found = unclaimed_.extract(run.id(i));
    if (!found.empty()) run.restore(i, std::move(found.mapped()));
  }
}

void RuleEngine::forget_unclaimed() {
  for (const auto& [id, left] : unclaimed_) {
    for (const auto& [labels, alert] : left.alerts) services_.changes.remove(alert_key(id, labels));
    services_.sink.end(std::vector<std::string>(left.series.begin(), left.series.end()),
                       services_.clock.wall());
  }
  unclaimed_.clear();
}

void RuleEngine::publish() {
  RuleBoard::Groups states;
  for (const auto& group : groups_) states.push_back(group->run.state());
  board_.set(std::move(states));
  active_.store(budget_.used, std::memory_order_relaxed);
}

void RuleEngine::wait(const std::shared_ptr<Group>& group) {
  const RuleGroup& what = group->run.group();
  const Timestamp now = services_.clock.wall();
  const Timestamp next = due_time(now, what.interval, what.query_offset) + what.interval + what.query_offset;
  group->timer.expires_after(next - now);
  group->timer.async_wait([this, group](const boost::system::error_code&) {
    if (group->is_removed) return;
    due(*group);
    wait(group);
  });
}

// A clock that was set back counts as no miss, and the times before are evaluated again.
void RuleEngine::due(Group& group) {
  const Running running("a group of rules");
  const RuleGroup& what = group.run.group();
  const Timestamp at = due_time(services_.clock.wall(), what.interval, what.query_offset);
  if (at == group.newest) return;  // the timer was early
  if (group.newest != Timestamp{} && at > group.newest)
    missed_.add(static_cast<uint64_t>((at - group.newest) / what.interval - 1));
  group.newest = at;
  group.run.evaluate(at);
  board_.update(group.index, group.run.state());
  active_.store(budget_.used, std::memory_order_relaxed);
}

}  // namespace statmill::rules

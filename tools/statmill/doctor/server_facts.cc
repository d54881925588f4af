#include "tools/statmill/doctor/server_facts.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

#include "base/text.h"

namespace statmill {
namespace {

using Pairs = std::map<std::string, std::string, std::less<>>;

constexpr double kRefusedShare = 0.01;  // a port that refuses a larger share of its samples is a warning
constexpr double kDaysSoon = 30;        // until the disk is full
constexpr double kDaysNow = 3;
constexpr double kDiskBytes = 1 << 20;  // a disk with less free space is full
constexpr double kClockSeconds = 5;
constexpr int64_t kAwaySeconds = 600;  // that an agent is not connected
constexpr size_t kNamed = 3;           // agents in one text

// Returns 0 for what is missing or no number, as "-".
double number_of(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

double number_at(const Pairs& pairs, std::string_view key) {
  const auto found = pairs.find(key);
  return found == pairs.end() ? 0 : number_of(found->second);
}

std::string text_at(const Pairs& pairs, std::string_view key) {
  const auto found = pairs.find(key);
  return found == pairs.end() ? std::string() : found->second;
}

std::string count_text(double count) { return std::to_string(std::llround(count)); }

// Returns the time in days, hours or minutes, rounded down: "3h".
std::string uptime_text(double seconds) {
  const std::chrono::seconds up(std::llround(seconds));
  for (const std::chrono::seconds unit :
       {std::chrono::seconds(86'400), std::chrono::seconds(3600), std::chrono::seconds(60)}) {
    if (up >= unit) return format_duration(up / unit * unit);
  }
  return format_duration(up);
}

// Adds the parts below `prefix`, one finding each.
void add_parts(std::vector<Finding>& out, const Pairs& status, std::string_view prefix, Verdict verdict) {
  for (auto it = status.lower_bound(prefix); it != status.end() && it->first.starts_with(prefix); ++it)
    out.push_back({verdict, it->first.substr(prefix.size()), it->second});
}

void add_version(std::vector<Finding>& out, const Pairs& status) {
  const std::string version = text_at(status, "version");
  const std::string text = "version " + version + ", up for " + uptime_text(number_at(status, "uptime_s"));
  if (version == STATMILL_VERSION) return out.push_back({Verdict::kOk, "server", text});
  out.push_back({Verdict::kWarning, "server", text + "; this client has version " STATMILL_VERSION,
                 "use the client of the server's version"});
}

void add_clock(std::vector<Finding>& out, const Pairs& status, Timestamp now) {
  const double by = number_at(status, "now") - static_cast<double>(now.time_since_epoch().count()) / 1000;
  if (std::abs(by) < kClockSeconds) return;
  out.push_back({Verdict::kWarning, "server clock",
                 count_text(std::abs(by)) + " s " + (by > 0 ? "ahead of" : "behind") + " that of this host",
                 "find out which of the two is wrong"});
}

void add_ports(std::vector<Finding>& out, const Pairs& status) {
  constexpr std::string_view kPrefix = "listeners.";
  std::string ports;
  for (auto it = status.lower_bound(kPrefix); it != status.end() && it->first.starts_with(kPrefix); ++it)
    ports.append(ports.empty() ? "" : ", ").append(it->first.substr(kPrefix.size()) + " at " + it->second);
  if (!ports.empty()) out.push_back({Verdict::kOk, "ports", ports});
}

void add_disk(std::vector<Finding>& out, const Pairs& status) {
  if (!status.contains("disk_free_bytes"))
    return out.push_back({Verdict::kOk, "disk", "how much of it is free is not known"});
  const double bytes = number_at(status, "disk_free_bytes");
  const std::string free = count_text(bytes / (1 << 20)) + " MiB of its disk are free";
  if (bytes < kDiskBytes)
    return out.push_back({Verdict::kFault, "disk", free, "make room: samples wait in RAM"});
  const std::string days = text_at(status, "disk_forecast.full_in_days");
  if (days.empty() || days == "null") return out.push_back({Verdict::kOk, "disk", free});
  const double left = number_of(days);
  const Verdict verdict = left < kDaysNow    ? Verdict::kFault
                          : left < kDaysSoon ? Verdict::kWarning
                                             : Verdict::kOk;
  out.push_back({verdict, "disk", free + "; at this rate it is full in " + days + " days",
                 verdict == Verdict::kOk ? "" : "a larger disk, or a shorter --retention"});
}

// One finding for each port that refuses or drops many.
void add_samples(std::vector<Finding>& out, const Pairs& status) {
  constexpr std::string_view kPrefix = "samples.";
  constexpr std::string_view kReceived = ".received";
  double received = 0;
  bool is_well = true;
  for (auto it = status.lower_bound(kPrefix); it != status.end() && it->first.starts_with(kPrefix); ++it) {
    if (!it->first.ends_with(kReceived)) continue;
    const std::string port = it->first.substr(0, it->first.size() - kReceived.size());
    const std::string name = "samples, " + port.substr(kPrefix.size());
    const double all = number_of(it->second);
    received += all;
    double refused = 0;
    std::string reasons;
    const std::string below = port + ".refused.";
    for (auto r = status.lower_bound(below); r != status.end() && r->first.starts_with(below); ++r) {
      refused += number_of(r->second);
      reasons.append(reasons.empty() ? "" : ", ").append(r->first.substr(below.size()) + " " + r->second);
    }
    if (refused > all * kRefusedShare) {
      is_well = false;
      out.push_back({Verdict::kWarning, name,
                     count_text(refused) + " of " + count_text(all) + " were refused: " + reasons,
                     "`statmill rejects` shows the last ones and their senders"});
    }
    if (const double dropped = number_at(status, port + ".dropped"); dropped > 0) {
      is_well = false;
      out.push_back({Verdict::kWarning, name, count_text(dropped) + " datagrams were dropped by the kernel",
                     "a larger net.core.rmem_max, more --line.threads, or lines over TCP"});
    }
  }
  if (is_well) out.push_back({Verdict::kOk, "samples", count_text(received) + " since the start"});
}

// Collects the agents for which something holds.
class Those {
 public:
  void add(const ListedAgent& agent, std::string_view what) {
    if (++count_ > kNamed) return;
    names_.append(names_.empty() ? "" : ", ").append(agent.host);
    if (!what.empty()) names_.append(" (").append(what).append(")");
  }
  bool is_empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  std::string text() const {
    return names_ + (count_ > kNamed ? " and " + std::to_string(count_ - kNamed) + " more" : "");
  }

 private:
  size_t count_ = 0;
  std::string names_;
};

}  // namespace

std::vector<Finding> judge_status(const std::vector<std::pair<std::string, std::string>>& status,
                                  Timestamp now) {
  const Pairs pairs(status.begin(), status.end());
  std::vector<Finding> out;
  add_version(out, pairs);
  add_parts(out, pairs, "problems.", Verdict::kFault);
  add_parts(out, pairs, "warnings.", Verdict::kWarning);
  add_ports(out, pairs);
  add_clock(out, pairs, now);
  add_disk(out, pairs);
  add_samples(out, pairs);
  if (const double damaged = number_at(pairs, "damaged_frames"); damaged > 0) {
    out.push_back({Verdict::kWarning, "journal", count_text(damaged) + " entries were damaged",
                   "`statmill check` reads all that is stored"});
  }
  return out;
}

std::vector<Finding> judge_agents(const KnownAgents& agents, const std::string& version, Timestamp now) {
  Those away;
  Those other_version;
  Those wrong_clock;
  Those losing;
  Those in_trouble;
  for (const ListedAgent& agent : agents.agents) {
    if (!agent.is_connected) {
      if (unix_seconds(now) - agent.seen_s > kAwaySeconds) away.add(agent, {});
      continue;
    }
    if (agent.version != version) other_version.add(agent, agent.version);
    if (std::abs(number_of(agent.clock_ms)) >= kClockSeconds * 1000)
      wrong_clock.add(agent, agent.clock_ms + " ms");
    if (number_of(agent.lines_lost) > 0) losing.add(agent, agent.lines_lost + " lines");
    if (number_of(agent.troubles) > 0) in_trouble.add(agent, agent.troubles);
  }
  std::vector<Finding> out;
  out.push_back({Verdict::kOk, "agents",
                 std::to_string(agents.connected) + " of " + std::to_string(agents.known) +
                     " known ones are connected"});
  if (agents.agents.size() < agents.known)
    out.push_back({Verdict::kWarning, "agents",
                   "only the first " + std::to_string(agents.agents.size()) + " by host were looked at"});
  const auto warn = [&out](const Those& those, std::string_view what, std::string_view advice) {
    if (those.is_empty()) return;
    out.push_back({Verdict::kWarning, "agents",
                   std::string(what) + ": " + std::to_string(those.count()) + ", " + those.text(),
                   std::string(advice)});
  };
  warn(away, "away", "look at their hosts; `statmill forget-agent` for those that are gone for good");
  warn(other_version, "of another version than the server", "upgrade the server first, then its agents");
  warn(wrong_clock, "with a clock that differs from the server's", "run chrony or systemd-timesyncd there");
  warn(losing, "that have lost lines", "a larger --spool.bytes, or a server that is away for less long");
  warn(in_trouble, "with collectors that lack something",
       "`statmill agents --format json` says what, `statmill-agent --check` on that host, too");
  return out;
}

}  // namespace statmill

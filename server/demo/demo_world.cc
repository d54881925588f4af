#include "server/demo/demo_world.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "agent/catalogue/series_name.h"
#include "base/hash.h"
#include "base/text.h"
#include "proto/host_presence.h"
#include "server/demo/noise.h"

namespace statmill {
namespace {

using Tags = std::vector<std::pair<std::string_view, std::string_view>>;

std::string name_of(std::string_view path, Tags tags) {
  std::ranges::sort(tags);
  std::string name(path);
  for (const auto& [key, value] : tags) append_tag(name, key, value);
  return name;
}

std::string name_of(const DemoHost* host, const DemoFamily& demo, std::string_view first,
                    std::string_view second) {
  const Family& family = *demo.family;
  Tags tags;
  if (!first.empty()) tags.emplace_back(family.tags[0], first);
  if (!second.empty()) tags.emplace_back(demo.second_tag.empty() ? family.tags[1] : demo.second_tag, second);
  if (host != nullptr) {
    tags.insert(tags.end(), {{"dc", host->dc}, {kHostTag, host->name}, {"role", host->role}});
  }
  return name_of(family.path, std::move(tags));
}

// Collectors that are eBPF alone do nothing without BTF, and those that also read text lack a part.
DemoStory state_without_btf(std::string_view collector) {
  constexpr std::string_view kAlone[] = {"faults", "interrupts", "process", "sched", "syscalls", "tlb"};
  constexpr std::string_view kBoth[] = {"block", "inet", "memory", "net"};
  if (std::ranges::find(kAlone, collector) != std::end(kAlone)) return DemoStory::kDoesNotWork;
  if (std::ranges::find(kBoth, collector) != std::end(kBoth)) return DemoStory::kLacksPart;
  return DemoStory::kNone;
}

constexpr std::string_view kNoBtfHost = "lab3";
constexpr std::string_view kNoisyCgroup = "/system.slice/noisy.service";

struct StoryOf {
  std::string_view host;
  std::string_view path;
  std::string_view first;  // value of the first tag; empty: any
  DemoStory story;
};
constexpr StoryOf kStories[] = {
    {"web3", "host.cpu.busy_percent", "", DemoStory::kSpike},
    {"db3", "host.block.latency_ns", "vda", DemoStory::kBimodal},
    {"db3", "host.block.busy_ns", "vda", DemoStory::kBusyDisk},
    {"queue1", "host.memory.available_bytes", "", DemoStory::kLeak},
    {"queue1", "host.memory.oom_kills", "", DemoStory::kOomKill},
    {"queue1", "host.cgroup.memory_oom_kills", kNoisyCgroup, DemoStory::kOomKill},
    {"web12", "host.cgroup.cpu_throttled_ns", kNoisyCgroup, DemoStory::kThrottled},
    {"web12", "host.sched.runqueue_wait_ns", "", DemoStory::kSlowRunqueue},
    {"cache2", "host.agent.lines_dropped", "", DemoStory::kLostLines},
    {"edge2", "host.tcp.retransmits", "", DemoStory::kRetransmits},
};

DemoStory story_of(const DemoHost& host, const Family& family, std::string_view first) {
  if (family.path == "host.agent.collector_status") return collector_state(host, first);
  for (const StoryOf& s : kStories) {
    if (s.host == host.label && s.path == family.path && (s.first.empty() || s.first == first))
      return s.story;
  }
  return DemoStory::kNone;
}

bool has_family(const DemoHost& host, const Family& family) {
  if (host.is_lab && family.collector == "pmu") return false;
  return !(host.label == kNoBtfHost && family.is_ebpf);
}

}  // namespace

DemoStory collector_state(const DemoHost& host, std::string_view collector) {
  if (host.is_lab && collector == "pmu") return DemoStory::kDoesNotWork;
  return host.label == kNoBtfHost ? state_without_btf(collector) : DemoStory::kNone;
}

DemoWorld::DemoWorld(const DemoOptions& options, int64_t start_s, int64_t slot_s)
    : seed_(options.seed),
      start_s_(start_s / slot_s * slot_s),
      slot_s_(slot_s),
      fleet_(make_fleet(options, start_s_)) {
  for (size_t minute = 0; minute < day_.size(); ++minute) {
    constexpr double kPeak = 14 * 60;  // UTC
    const double turn = (static_cast<double>(minute) - kPeak) / static_cast<double>(day_.size());
    day_[minute] = 0.5 + 0.5 * std::cos(2 * std::numbers::pi * turn);
  }
  for (const DemoHost& host : fleet_) add_host(host);
  for (const DemoFamily& family : shop_families()) add_family(nullptr, family);
  add_names(options.names);
}

void DemoWorld::add_host(const DemoHost& host) {
  for (const DemoFamily& family : host_families()) {
    if (has_family(host, *family.family)) add_family(&host, family);
  }
  if (host.label != kJobHost) return;
  for (int64_t job = (start_s_ - kJobHistory) / kJobInterval; job * kJobInterval < start_s_; ++job) {
    for (DemoSeries& series : job_series(host, job)) series_.push_back(std::move(series));
  }
}

void DemoWorld::add_family(const DemoHost* host, const DemoFamily& family) {
  std::vector<std::string> numbers;
  std::vector<std::string_view> first = split(family.first, ',');
  std::vector<std::string_view> second = split(family.second, ',');
  if (family.first == "#") {
    for (int64_t cpu = 0; cpu < host->cpus; ++cpu) numbers.push_back(std::to_string(cpu));
    first.assign(numbers.begin(), numbers.end());
  }
  if (first.empty()) first.emplace_back();
  if (second.empty()) second.emplace_back();
  for (const std::string_view a : first) {
    for (const std::string_view b : second) add_series(host, family, a, b);
  }
}

void DemoWorld::add_series(const DemoHost* host, const DemoFamily& family, std::string_view first,
                           std::string_view second) {
  DemoSeries series;
  series.name = name_of(host, family, first, second);
  series.family = &family;
  series.host = host;
  series.key = mixed(hash_name(series.name) ^ seed_);
  if (family.is_per_cpu && host != nullptr) series.size = static_cast<double>(host->cpus);
  if (family.family->path == "shop.requests")
    series.size = second == "200" ? 1 : second == "404" ? 0.03 : 0.004;
  if (host != nullptr) series.story = story_of(*host, *family.family, first);
  series_.push_back(std::move(series));
}

std::vector<DemoSeries> DemoWorld::job_series(const DemoHost& host, int64_t job) const {
  std::vector<DemoSeries> out;
  const std::string cgroup = "/batch.slice/job-" + std::to_string(job) + ".scope";
  const int64_t begin_s = job * kJobInterval / slot_s_ * slot_s_;
  for (const DemoFamily& family : job_families()) {
    DemoSeries series;
    series.name = name_of(&host, family, cgroup, {});
    series.family = &family;
    series.host = &host;
    series.key = mixed(hash_name(series.name) ^ seed_);
    series.begin_s = begin_s;
    series.end_s = begin_s + kJobSeconds;
    out.push_back(std::move(series));
  }
  return out;
}

void DemoWorld::add_names(size_t count) {
  constexpr size_t kPerShelf = 100;
  for (size_t i = 0; i < count; ++i) {
    DemoSeries series;
    series.name = name_of(stock_family().family->path,
                          {{"shelf", std::to_string(i / kPerShelf)}, {"sku", std::to_string(100'000 + i)}});
    series.family = &stock_family();
    series.key = mixed(hash_name(series.name) ^ seed_);
    series_.push_back(std::move(series));
  }
}

}  // namespace statmill

#include "server/demo/demo_agent.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "agent/catalogue/family_lines.h"
#include "base/hash.h"
#include "server/demo/demo_boots.h"
#include "server/demo/demo_lines.h"
#include "server/demo/noise.h"

namespace statmill {
namespace {

constexpr uint8_t kAgentNetwork = 1;  // agents send from 127.1.x.y

AgentSecret secret_of(DemoHost host) {
  host.key = mixed(~host.key);
  return {demo_agent_id(host).bytes};
}

constexpr uint32_t kEpoch = 1;

uint8_t sources_of(std::string_view collector) {
  constexpr std::string_view kFiles[] = {"cgroup", "cpu", "load", "psi"};
  constexpr std::string_view kBoth[] = {"block", "inet", "memory", "net"};
  if (collector == "pmu") return kSourceCounters;
  if (std::ranges::find(kFiles, collector) != std::end(kFiles)) return kSourceFiles;
  const bool has_files = std::ranges::find(kBoth, collector) != std::end(kBoth);
  return has_files ? kSourceFiles | kSourceEbpf : kSourceEbpf;
}

// web7 is away again, from one time after the start to another.
constexpr int64_t kAwayFrom = 60;
constexpr int64_t kAwayUntil = 90;

}  // namespace

DemoAgent::DemoAgent(const DemoWorld& world, size_t number, Endpoint server)
    : world_(world),
      host_(world.fleet()[number]),
      address_(loopback_address(kAgentNetwork, number)),
      server_(std::move(server)),
      delay_(number * 37 % 1000),
      next_report_s_(world.start_s()) {
  for (const DemoSeries& series : world.series()) {
    if (series.host == &host_) series_.push_back(&series);
  }
  if (host_.label == "lab9") clock_ahead_ = std::chrono::seconds(95);
  if (host_.label == "lab10") clock_ahead_ = line_ahead_ = std::chrono::minutes(20);
  if (host_.label == "cache2") lose_lines();
}

// Before the start its spool overflowed: a batch from before, and the gap after it.
void DemoAgent::lose_lines() {
  const Timestamp begin = from_unix_seconds(world_.start_s() - kLossAgo);
  BatchFrame before{.seq = 1, .time = begin};
  kept_.push_back({before.seq, {}});
  append_frame(kept_.back().frame, before);
  GapFrame gap{.first = 2, .lines_before = kLinesLost, .reason = GapReason::kSpoolFull};
  gap.seq = gap.first + static_cast<uint64_t>(kLossSeconds / world_.slot_s());
  gap.time = begin + std::chrono::seconds(kLossSeconds);
  kept_.push_back({gap.seq, {}});
  append_frame(kept_.back().frame, gap);
  seq_ = gap.seq;
  lines_ = kLinesLost;
}

bool DemoAgent::is_away(Timestamp now) const {
  const int64_t running_s = unix_seconds(now) - world_.start_s();
  return host_.label == "web7" && running_s >= kAwayFrom && running_s < kAwayUntil;
}

void DemoAgent::tick(Timestamp now, SteadyTime steady) {
  const bool is_first = unix_seconds(now) - world_.start_s() < world_.slot_s();
  const Timestamp due = from_unix_seconds(next_report_s_) + (is_first ? Duration(0) : delay_);
  const bool has_new = now >= due && make_batch(next_report_s_, now);
  if (now >= due) next_report_s_ += kReportSeconds;
  if (is_away(now)) return stream_.close();
  if (!stream_.is_open() && (!retry_ || steady >= *retry_)) {
    retry_ = steady + kRetry;
    connect(now);
  }
  receive(now);
  if (!has_new || !is_welcome_ || !stream_.is_open()) return;
  if (!next_status_ || steady >= *next_status_) {
    next_status_ = steady + kStatusInterval;
    send_status(now);
  }
  stream_.send(kept_.back().frame);
}

void DemoAgent::connect(Timestamp now) {
  stream_ = LoopbackStream(address_, server_);
  received_.clear();
  is_welcome_ = false;
  HelloFrame hello;
  hello.id = demo_agent_id(host_);
  hello.secret = secret_of(host_);
  hello.acknowledged.epoch = kEpoch;
  hello.clock = now + clock_ahead_;
  hello.host = host_.name;
  hello.agent_version = STATMILL_VERSION;
  const HostBoot boot = demo_boot(host_, world_.start_s());
  hello.kernel = boot.kernel;
  hello.boot_id = boot.id;
  hello.uptime = now - boot.time;
  std::string frame;
  append_frame(frame, hello);
  stream_.send(frame);
}

void DemoAgent::receive(Timestamp now) {
  stream_.receive(received_);
  std::string_view bytes = received_;
  for (;;) {
    const FrameRead frame = read_frame(bytes);
    if (frame.state == FrameRead::State::kDamaged) return stream_.close();
    if (frame.state == FrameRead::State::kIncomplete) break;
    on_frame(frame, now);
    bytes.remove_prefix(frame.bytes);
  }
  received_.erase(0, received_.size() - bytes.size());
}

void DemoAgent::on_frame(const FrameRead& frame, Timestamp now) {
  const auto drop_until = [this](uint64_t seq) {
    while (!kept_.empty() && kept_.front().seq <= seq) kept_.pop_front();
  };
  if (frame.type == FrameType::kAck) {
    if (const auto ack = decode_ack(frame.payload)) drop_until(ack->seq);
  } else if (frame.type == FrameType::kWelcome) {
    const auto welcome = decode_welcome(frame.payload);
    if (!welcome) return stream_.close();
    is_welcome_ = true;
    drop_until(welcome->position.seq);
    send_status(now);
    for (const Kept& kept : kept_) stream_.send(kept.frame);
  } else {
    stream_.close();  // refused: tries again later
  }
}

std::vector<CollectorNote> DemoAgent::collector_notes() const {
  constexpr std::string_view kCollectors[] = {"block", "cgroup",     "cpu", "faults", "inet",
                                              "load",  "interrupts", "net", "memory", "pmu",
                                              "psi",   "process",    "tlb", "sched",  "syscalls"};
  std::vector<CollectorNote> notes;
  for (const std::string_view name : kCollectors) {
    const DemoStory state = collector_state(host_, name);
    if (state == DemoStory::kNone) {
      notes.push_back({name, 0, {}, sources_of(name)});
    } else if (name == "pmu") {
      notes.push_back({name, 2, "no PMU: perf_event_open: No such file or directory"});
    } else if (state == DemoStory::kLacksPart) {
      notes.push_back({name, 1, "text only: the kernel has no BTF", kSourceFiles});
    } else {
      notes.push_back({name, 2, "the kernel has no BTF"});
    }
  }
  return notes;
}

void DemoAgent::send_status(Timestamp now) {
  StatusFrame status;
  status.clock = now + clock_ahead_;
  for (const Kept& kept : kept_) status.spool_bytes += kept.frame.size();
  status.lines_dropped = host_.label == "cache2" ? kLinesLost : 0;
  status.collectors = collector_notes();
  std::string frame;
  append_frame(frame, status);
  stream_.send(frame);
}

// The cgroups that began after the start of the demo and live, or have just ended.
std::vector<DemoSeries> DemoAgent::live_jobs(int64_t report_s) const {
  constexpr int64_t kInterval = DemoWorld::kJobInterval;
  std::vector<DemoSeries> out;
  if (host_.label != kJobHost) return out;
  const int64_t first_live = (world_.start_s() + kInterval - 1) / kInterval;
  const int64_t oldest = (report_s - DemoWorld::kJobSeconds - world_.slot_s()) / kInterval;
  for (int64_t job = std::max(first_live, oldest); job * kInterval <= report_s; ++job) {
    for (DemoSeries& series : world_.job_series(host_, job)) out.push_back(std::move(series));
  }
  return out;
}

std::string DemoAgent::lines_of(int64_t report_s, uint32_t& lines) const {
  std::string out;
  if (report_s == world_.start_s()) {
    out = family_lines();
    lines = static_cast<uint32_t>(std::ranges::count(out, '\n'));
  }
  const int64_t ahead_s = std::chrono::floor<std::chrono::seconds>(line_ahead_).count();
  DemoSample sample;
  const auto append = [&](const DemoSeries& series) {
    if (!world_.second(series, report_s, sample)) return;
    append_demo_line(out, series, report_s + ahead_s, sample);
    ++lines;
  };
  for (const DemoSeries* const series : series_) append(*series);
  for (const DemoSeries& series : live_jobs(report_s)) append(series);
  return out;
}

bool DemoAgent::make_batch(int64_t report_s, Timestamp now) {
  if (kept_.size() >= kKeptMax) return false;
  BatchFrame batch;
  const std::string text = lines_of(report_s, batch.lines);
  batch.seq = ++seq_;
  batch.lines_before = lines_;
  batch.time = now;
  batch.text = text;
  lines_ += batch.lines;
  kept_.push_back({seq_, {}});
  append_frame(kept_.back().frame, batch);
  return true;
}

}  // namespace statmill

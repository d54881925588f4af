#include "agent/collectors/processes.h"

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/collectors/process_walk.h"
#include "agent/collectors/program_totals.h"
#include "agent/collectors/slow_collector.h"

namespace statmill {
namespace {

class ProcessesSource final : public SlowSource {
 public:
  explicit ProcessesSource(ProcessesOptions options)
      : root_(options.root),
        programs_max_(options.programs_max),
        page_bytes_(static_cast<double>(::sysconf(_SC_PAGESIZE))),
        tick_ns_(uint64_t{1'000'000'000} / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK))),
        walk_(std::move(options.root), options.processes_max) {}

  std::string_view name() const override { return "processes"; }

  void read() override {
    if (!totals_) totals_.emplace(programs_max_);
    missed_ = walk_.walk(
        {.begin = [this](std::optional<uint64_t> now) { totals_->begin(now); },
         .see = [this](uint32_t process, const ProcessStat& stat) { totals_->add(process, stat); }});
    if (missed_) {
      totals_->finish();
    } else {
      totals_.reset();  // nothing is known about the time until the next walk
    }
  }

  CollectorStatus report(MetricSink& sink) override {
    if (!missed_) return CollectorStatus::unavailable(missed_.error().message);
    for (size_t state = 0; state < kProcessStates.size(); ++state) {
      sink.gauge("host.process.processes", {kProcessStates.at(state)},
                 static_cast<double>(totals_->states().at(state)));
    }
    for (const ListedProgram& program : totals_->listed()) report_program(program, sink);
    sink.gauge("host.agent.processes_left_out", {"limit"}, static_cast<double>(missed_->beyond_limit));
    sink.gauge("host.agent.processes_left_out", {"unreadable"}, static_cast<double>(missed_->unreadable));
    sink.gauge("host.agent.processes_programs_waiting", static_cast<double>(totals_->waiting()));
    return status();
  }

  void keep(MetricSink& sink) const override {
    for (const char* name : {"host.process.processes;", "host.program.", "host.agent.processes_"})
      sink.keep(name);
  }
  std::string waits_for() const override { return root_; }

 private:
  void report_program(const ListedProgram& program, MetricSink& sink) const {
    const auto gauge = [&](GaugeFamily family, double value) { sink.gauge(family, {program.name}, value); };
    gauge("host.program.processes", static_cast<double>(program.sum.processes));
    gauge("host.program.threads", static_cast<double>(program.sum.threads));
    gauge("host.program.resident_bytes", static_cast<double>(program.sum.resident_pages) * page_bytes_);
    if (program.began_at_zero) sink.total("host.program.cpu_ns", {program.name}, 0);
    sink.total("host.program.cpu_ns", {program.name}, program.cpu_ticks * tick_ns_);
  }

  CollectorStatus status() const {
    std::string reason;
    if (missed_->beyond_limit != 0)
      reason = std::to_string(missed_->beyond_limit) + " processes are beyond --processes.max";
    if (missed_->unreadable != 0) {
      reason.append(reason.empty() ? "" : "; ").append(std::to_string(missed_->unreadable));
      reason.append(" processes are not readable: ").append(missed_->why);
    }
    return reason.empty() ? CollectorStatus{} : CollectorStatus::degraded(std::move(reason));
  }

  const std::string root_;
  const size_t programs_max_;
  const double page_bytes_;
  const uint64_t tick_ns_;
  ProcessWalk walk_;
  std::optional<ProgramTotals> totals_;
  Result<ProcessWalk::Missed> missed_ = ProcessWalk::Missed{};  // in the last walk
};

}  // namespace

std::unique_ptr<Collector> make_processes_collector(ProcessesOptions options, const Clock& clock, Log& log) {
  const bool is_each_time = options.is_each_time;
  return make_slow_collector(std::make_unique<ProcessesSource>(std::move(options)), clock, log,
                             {.is_each_time = is_each_time});
}

}  // namespace statmill

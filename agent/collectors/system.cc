// The system collector: how long the host has been up, and the entropy of its random numbers.
#include <cstdint>
#include <optional>
#include <string>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

class SystemCollector final : public Collector {
 public:
  explicit SystemCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "system"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    const std::optional<double> uptime = read("uptime", parse_uptime, missing);
    const std::optional<uint64_t> entropy = read("sys/kernel/random/entropy_avail", parse_line, missing);
    if (uptime) sink.gauge("host.system.uptime_s", *uptime);
    if (entropy) sink.gauge("host.system.entropy", static_cast<double>(*entropy));
    if (!uptime && !entropy) return CollectorStatus::unavailable("missing:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  static std::optional<uint64_t> parse_line(std::string_view text) {
    return parse_as<uint64_t>(text.substr(0, text.find('\n')));
  }

  // Returns what the function makes of the file. Otherwise appends the reason to `missing`.
  template <class T>
  std::optional<T> read(const std::string& file, std::optional<T> (*parse)(std::string_view),
                        std::string& missing) {
    const Result<std::string_view> text = proc_.read(file);
    const std::optional<T> value = text ? parse(*text) : std::nullopt;
    if (!value) missing.append(" ").append(text ? file + " is not as expected" : text.error().message);
    return value;
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_system_collector(ProcReader& proc) {
  return std::make_unique<SystemCollector>(proc);
}

}  // namespace statmill

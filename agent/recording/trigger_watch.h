// TriggerWatch: passes all samples on to another sink, and says which triggers they make true.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/collector.h"
#include "agent/recording/trigger.h"
#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class TriggerWatch final : public MetricSink {
 public:
  // A trigger fires at most once per `pause`. `next` must outlive it.
  TriggerWatch(MetricSink& next, const std::vector<Trigger>& triggers, Duration pause);

  // Begins a collection.
  void begin(SteadyTime now);
  void add_gauge(const HostSeries& series, double value) override;
  // Compares the growth per second since the last reading.
  void add_total(const HostSeries& series, uint64_t total) override;
  void add_distribution(const HostSeries& series, const Distribution& total) override {
    next_.add_distribution(series, total);
  }
  void keep(std::string_view name_prefix) override { next_.keep(name_prefix); }
  void lines(std::string_view lines) override { next_.lines(lines); }
  void begin_collector(std::string_view name) override { next_.begin_collector(name); }
  // Ends the collection. Returns the texts of the triggers that fire: those that have become true. A
  // trigger is true if it holds for any of its series; one whose series were not read stays as it was. What
  // is true from the start has not become true, so the first reading only says how it is; if there is none
  // within kFirstReading, the trigger is false.
  std::vector<std::string> fired();
  // Returns the texts of the triggers that have read nothing within kFirstReading, each once. Call it after
  // fired().
  std::vector<std::string> unread();

  // Returns the sink of the samples: without triggers, the next one, which saves a call for each.
  MetricSink& sink() { return watched_.empty() ? next_ : *this; }

 private:
  struct Watched {
    Trigger trigger;
    bool is_read = false;           // in this collection
    bool holds = false;             // for a series of this collection
    std::optional<bool> is_true{};  // after the last collection that read it; nullopt before the first
    bool is_unread = false;         // to be returned by unread()
    std::optional<SteadyTime> fired_at{};
  };
  struct Total {
    uint64_t value = 0;
    SteadyTime at{};
  };
  // Totals of series that are gone are forgotten after this long; the slowest collectors read every 10 s.
  static constexpr std::chrono::seconds kForgetAfter{60};
  // From the first collection on; the growth of totals needs two readings, so it has at least as many
  // collections, too.
  static constexpr std::chrono::seconds kFirstReading{60};
  static constexpr uint64_t kFirstCollections = 3;

  bool is_watched(std::string_view name) const;
  void compare(std::string_view name, double value);

  MetricSink& next_;
  const Duration pause_;
  std::vector<Watched> watched_;
  std::map<std::string, Total, std::less<>> totals_;  // bounded by what the collectors report in a minute
  SteadyTime now_{};
  SteadyTime since_{};        // the first collection
  uint64_t collections_ = 0;  // so far
};

}  // namespace statmill

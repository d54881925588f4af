// BatchBuilder: formats the samples of one interval as text lines, whose time is that of the batch.
//
// Only this class turns cumulative totals and distributions into the growth since the previous interval.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "proto/last_value.h"

namespace statmill {

class SentHistogram;

// Lines of the line protocol (proto/PROTOCOL.md), each ended by LF: gauges as `name value`, events as
// `*name delta`, distributions as `%name h<g> sum index:count ...`, split into several lines if necessary.
struct LineBatch {
  std::string text;
  uint64_t lines = 0;
  std::string tags = {};  // added to the name of each line, "key=value;key=value"; at most kTagsBytesMax
  // The time of the lines that have none; nullopt if all lines have one.
  std::optional<Timestamp> time = {};
  // The last values of the counters whose growth is in these lines (agent/spool/spool_values.h). If there are
  // any, the text fits a frame.
  std::vector<LastValue> values = {};
  // Where the lines of the collectors begin that a FastSampler reads for recordings; npos: there are none.
  size_t fast_begin = std::string::npos;
};

// Confined to one thread.
class BatchBuilder final : public MetricSink {
 public:
  // `tags` are those of all batches (LineBatch::tags). The lines of the collectors `fast` come last
  // (LineBatch::fast_begin).
  explicit BatchBuilder(std::string tags, std::vector<std::string> fast = {});
  ~BatchBuilder() override;

  // Begins a batch. All its samples have the time `now`.
  void begin(Timestamp now);
  // Ignores values that are not finite.
  void add_gauge(const HostSeries& series, double value) override;
  // Zero growth is sent once, then omitted.
  void add_total(const HostSeries& series, uint64_t total) override;
  void add_distribution(const HostSeries& series, const Distribution& total) override;
  void keep(std::string_view name_prefix) override;
  void lines(std::string_view lines) override;
  void begin_collector(std::string_view name) override;
  // Ends the batch and returns it. Forgets totals and distributions that were neither reported nor kept in
  // this batch: if one comes back, it counts as new, so that a gap never shows up as one large event.
  LineBatch finish();

  // Counts totals that were lower than their previous value.
  uint64_t resets() const { return resets_; }

 private:
  struct Total {
    uint64_t value;
    uint64_t batch;        // the last batch that reported it
    bool is_sent = false;  // a line has been written for it
  };
  struct Sent {
    std::unique_ptr<SentHistogram> histogram;
    uint64_t batch;  // the last batch that reported it
  };
  std::string& text() { return is_fast_ ? fast_text_ : batch_.text; }
  void line(std::string_view mark, std::string_view name, double value);

  const std::string tags_;
  const std::vector<std::string> fast_;
  std::string fast_text_;  // their lines in this batch
  bool is_fast_ = false;   // the next lines come from a fast collector
  uint64_t batch_number_ = 0;
  uint64_t resets_ = 0;
  LineBatch batch_;
  std::map<std::string, Total, std::less<>> totals_;  // bounded by what the collectors report in one batch
  std::map<std::string, Sent, std::less<>> distributions_;  // same bound
};

}  // namespace statmill

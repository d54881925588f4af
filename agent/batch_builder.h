// BatchBuilder: the samples of one interval as text lines, all with the interval's time.
//
// The one place where cumulative totals become event samples, and cumulative distributions lines of what came
// since.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "agent/collectors/collector.h"
#include "base/clock.h"

namespace statmill {

class SentHistogram;

// Lines of the line protocol (proto/PROTOCOL.md), each ended by LF: `name time value`, events `*name time
// delta`, distributions `%name time h<g> sum index:count ...` in as many lines as it takes.
struct LineBatch {
  std::string text;
  uint64_t lines = 0;
};

// Confined to one thread.
class BatchBuilder final : public MetricSink {
 public:
  // `prefix` goes before each name, with a dot between.
  explicit BatchBuilder(std::string prefix);
  ~BatchBuilder() override;

  // Begins a batch, whose samples are all of `now`, in whole seconds.
  void begin(Timestamp now);
  // A value that is not finite gives no sample.
  void gauge(std::string_view name, double value) override;
  // Growth of 0 is told once: later, no line says as much.
  void total(std::string_view name, uint64_t total) override;
  void distribution(std::string_view name, const Distribution& total) override;
  void keep(std::string_view beginning) override;
  void lines(std::string_view lines) override;
  std::string_view time() const override { return time_; }
  // The batch begun last. Totals and distributions that it did not see are forgotten: should they come back,
  // it is as for the first time, so that a gap never shows up as one large event.
  LineBatch finish();

  // Totals that were below the one before.
  uint64_t resets() const { return resets_; }

 private:
  struct Total {
    uint64_t value;
    uint64_t batch;        // that saw it last
    bool is_told = false;  // there was a line of it
  };
  struct Sent {
    std::unique_ptr<SentHistogram> histogram;
    uint64_t batch;  // that saw it last
  };
  void line(std::string_view mark, std::string_view name, double value);

  const std::string prefix_;
  std::string time_;
  uint64_t batch_number_ = 0;
  uint64_t resets_ = 0;
  LineBatch batch_;
  std::map<std::string, Total, std::less<>> totals_;  // bounded by what the collectors report in one batch
  std::map<std::string, Sent, std::less<>> distributions_;  // likewise
};

}  // namespace statmill

#include "server/agents/table_intake.h"

namespace statmill {
namespace {

// Applies one batch and calls `on_applied` in the same epoch.
class MarkedSink final : public SampleSink {
 public:
  MarkedSink(Table& table, Timestamp sent, const AgentRegistry::OnApplied& on_applied)
      : table_(table), sent_(sent), on_applied_(on_applied) {}

  uint64_t apply(Batch& batch, Timestamp now) override {
    return table_.apply_marked(batch, now, sent_, [&](int parity) { on_applied_(parity, batch.refused); });
  }

 private:
  Table& table_;
  const Timestamp sent_;
  const AgentRegistry::OnApplied& on_applied_;
};

}  // namespace

void TableIntake::apply(const LineBlock& lines, Timestamp sent, const AgentRegistry::OnApplied& on_applied) {
  MarkedSink sink(table_, sent, on_applied);
  lines_.submit(lines, sink, batch_);
}

}  // namespace statmill

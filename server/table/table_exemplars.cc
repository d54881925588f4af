// Exemplars as they come in batches.
#include "server/table/table.h"

namespace statmill {

void Table::note_exemplars(Batch& batch, Timestamp now, int parity) {
  for (size_t i = 0; i < kExemplarRefusalCount; ++i)
    exemplars_.count_refused(static_cast<ExemplarRefusal>(i), batch.exemplars_refused[i]);
  for (const Exemplar& exemplar : batch.exemplars) {
    const auto verdict = note_exemplar(exemplar, now, parity);
    if (verdict.is_refused()) {
      exemplars_.count_refused(verdict.reason());
    } else {
      ++batch.exemplars_accepted;
    }
  }
}

Verdict<ExemplarRefusal> Table::note_exemplar(const Exemplar& exemplar, Timestamp now, int parity) {
  const Timestamp time{Duration(exemplar.time_ms)};
  if (exemplar.time_ms < 0 || exemplar.time_ms > (now + limits_.future_max).time_since_epoch().count())
    return ExemplarRefusal::kTime;
  const auto series = summary(exemplar.series);
  if (!series) return ExemplarRefusal::kSeries;
  const Tier& finest = retention().tiers(series->retention).finest();
  if (unix_seconds(time) < unix_seconds(now) - finest.retention_s) return ExemplarRefusal::kTime;
  return exemplars_.note(parity, {series->id, finest.slot_of(unix_seconds(time))}, exemplar);
}

void Table::refuse_exemplars(Batch& batch, ExemplarRefusal reason) {
  for (size_t i = 0; i < kExemplarRefusalCount; ++i)
    exemplars_.count_refused(static_cast<ExemplarRefusal>(i), batch.exemplars_refused[i]);
  exemplars_.count_refused(reason, batch.exemplars.size());
}

}  // namespace statmill

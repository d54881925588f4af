// StoredSeries: the SeriesSource of what is stored: selects series, reads their columns block by block, and
// computes the leaf's function.
#pragma once

#include "base/clock.h"
#include "server/query/query_control.h"
#include "server/query/read/host_presence.h"
#include "server/query/series_source.h"

namespace statmill {

// For one query. Confined to one thread.
class StoredSeries final : public SeriesSource {
 public:
  using Sources = HostPresence::Sources;
  // The sources and the control must outlive it.
  StoredSeries(const Sources& sources, QueryControl& control, Timestamp now)
      : sources_(sources), control_(control), now_(now) {}

  // Reads the series in the order of their ids. Memory: the slots of one block of series.
  Status read(const LeafRequest& request, QueryNotes& notes,
              const std::function<Status(SeriesValues)>& take) override;
  const void* moment() const override { return &sources_.retention.get(); }

 private:
  class ViewReader;

  const Sources sources_;
  QueryControl& control_;
  const Timestamp now_;
};

}  // namespace statmill

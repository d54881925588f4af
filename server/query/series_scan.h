// SeriesScan: reads the bins of many series, view by view, and hands them over one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "server/query/bin_reader.h"
#include "server/query/bins.h"
#include "server/query/query_control.h"
#include "server/query/read/host_presence.h"

namespace statmill {

// For one query. Confined to one thread.
class SeriesScan {
 public:
  // The sources and the control must outlive it.
  SeriesScan(const HostPresence::Sources& sources, QueryControl& control, Timestamp now)
      : sources_(sources), control_(control), now_(now), presence_(sources, control, now) {}

  // Gets the number of a series in the span, its kind and its bins. An error ends the scan.
  using Use = std::function<Status(size_t series, Kind kind, SeriesBins& bins)>;
  // Errors: kBusy (a series is not there any more), those of the sources, of the control and of `use`.
  Status read(std::span<const SeriesRef> series, const BinPlan& plan, const Parts& parts, const Use& use);

  uint64_t damaged_frames() const { return damaged_frames_; }

 private:
  Status read_view(std::span<const SeriesRef> series, const BinPlan& plan, const Parts& parts,
                   const Use& use);

  const HostPresence::Sources sources_;
  QueryControl& control_;
  const Timestamp now_;
  HostPresence presence_;
  uint64_t damaged_frames_ = 0;
};

}  // namespace statmill

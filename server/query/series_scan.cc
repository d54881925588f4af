#include "server/query/series_scan.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace statmill {

Status SeriesScan::read(std::span<const SeriesRef> series, const BinPlan& plan, const Parts& parts,
                        const Use& use) {
  for (size_t begin = 0; begin < series.size(); begin += kViewSeries) {
    const size_t some = std::min(kViewSeries, series.size() - begin);
    const Use use_some = [&](size_t i, Kind kind, SeriesBins& bins) { return use(begin + i, kind, bins); };
    if (Status s = read_view(series.subspan(begin, some), plan, parts, use_some); !s) return s;
  }
  return Status::ok();
}

Status SeriesScan::read_view(std::span<const SeriesRef> series, const BinPlan& plan, const Parts& parts,
                             const Use& use) {
  auto view = sources_.pieces.view(series, parts.histograms);
  if (!view) return view.error();
  ColumnReader reader(sources_.retention.get(), sources_.expiry, **view, now_, parts, control_, &presence_);
  BinReader bins(sources_.retention.get().tiers(), plan, reader, now_);
  std::vector<size_t> all(series.size());
  std::iota(all.begin(), all.end(), size_t{0});
  for (size_t begin = 0; begin < all.size(); begin += kBlockSeries) {
    const auto block = std::span(all).subspan(begin, std::min(kBlockSeries, all.size() - begin));
    if (Status s = control_.check(); !s) return s;
    auto read = bins.read(block);
    if (!read) return read.error();
    for (size_t k = 0; k < block.size(); ++k) {
      const size_t i = block[k];
      // Compactions drop data that are deleted or have a shorter retention now, even if a snapshot has them.
      if (!(*view)->is_valid(i)) return Error{ErrorCode::kBusy, "series kept being deleted or renamed"};
      if (Status s = use(i, (*view)->facts(i).kind, (*read)[k]); !s) return s;
    }
  }
  damaged_frames_ += reader.damaged_frames();
  control_.add_cost({.series = series.size(),
                     .chunks = reader.chunks(),
                     .cached = reader.cached(),
                     .bytes = reader.bytes()});
  return Status::ok();
}

}  // namespace statmill

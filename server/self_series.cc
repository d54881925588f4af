#include "server/self_series.h"

#include <vector>

#include "proto/istatd/parser.h"

namespace statmill {

void SelfSeries::feed(Timestamp now, SteadyTime steady) {
  if (steady < next_) return;
  next_ = steady + kInterval;
  std::vector<Reading> readings = registry_.read();
  // A counter that is still 0 makes no series: there are hundreds of counters, one for each refusal reason.
  std::erase_if(readings, [](const Reading& r) { return r.type == Reading::Type::kCounter && r.count == 0; });
  lines_.resend_families_hourly(steady.time_since_epoch());
  const std::string_view lines = lines_.make(readings);
  Batch batch;
  parse_istatd_lines(lines, batch);
  intake_.submit(batch, account_, now);
  lines_.sent(lines.size());
}

}  // namespace statmill

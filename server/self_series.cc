#include "server/self_series.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "proto/istatd/parser.h"

namespace statmill {
namespace {

constexpr std::string_view kPrefix = "statmill.";

}  // namespace

void SelfSeries::feed(Timestamp now, SteadyTime steady) {
  if (steady < next_) return;
  next_ = steady + kInterval;
  std::vector<Reading> readings = registry_.read();
  // A counter that is still 0 makes no series: there are hundreds of counters, one for each refusal reason.
  std::erase_if(readings, [](const Reading& r) { return r.type == Reading::Type::kCounter && r.count == 0; });
  std::deque<std::string> names;  // a deque does not move its elements
  for (Reading& r : readings) {
    if (r.name.starts_with(kPrefix)) continue;
    r.name = names.emplace_back(kPrefix).append(r.name);
  }
  lines_.resend_families_hourly(steady.time_since_epoch());
  const std::string_view lines = lines_.make(readings);
  Batch batch;
  parse_canonical_lines(lines, AddedTags(), batch);
  intake_.submit(batch, account_, now);
  lines_.sent(lines.size());
}

}  // namespace statmill

// Reads any bytes as a file of targets: what is read makes a request with one line and labels that series can
// have, and each target is there once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ingest/scrape/scrape_target.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/proto/tag_laws.h"

namespace {

using namespace statmill;

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return '!' <= c && c <= '~'; });
}

void check_target(const ScrapeTarget& target) {
  SM_CHECK(is_printable(target.url()) && target.path.starts_with('/'));
  SM_CHECK(target.timeout <= target.interval);
  LabelPairs labels = target.labels;
  labels.emplace_back(kNameLabel, "up");
  SM_CHECK(canonical_name(labels));
  const Duration until = until_scrape(target, from_unix_seconds(1'700'000'000));
  SM_CHECK(Duration(0) < until && until <= target.interval);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ExactCopy bytes({reinterpret_cast<const char*>(data), size});
  const CostBound bound(size);
  const auto targets = parse_targets(bytes.text(), {}, "job");
  if (!targets) return 0;
  std::set<std::string> keys;
  for (const ScrapeTarget& target : *targets) {
    check_target(target);
    SM_CHECK(keys.insert(target.key()).second);
  }
  return 0;
}

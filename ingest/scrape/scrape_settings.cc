#include "ingest/scrape/scrape_settings.h"

#include "base/setting_values.h"

namespace statmill {

std::vector<Setting> scrape_settings(ScrapeOptions& o) {
  using std::chrono::hours;
  using std::chrono::seconds;
  Setting targets{
      "scrape.targets", "FILE", "",
      "targets to scrape, in the form of Prometheus' file discovery (JSON), read again when it changes",
      [&o](const std::string& text) -> Status {
        if (text.empty()) return Error{ErrorCode::kInvalid, "the name of a file is empty"};
        o.files.push_back(text);
        return Status::ok();
      }};
  targets.is_list = true;
  return {std::move(targets),
          {"scrape.interval", "TIME", "10s", "how often a target is scraped that says no __scrape_interval__",
           duration_setting(o.interval, seconds(1), hours(1))},
          {"scrape.timeout", "TIME", "10s", "how long a scrape may last; never longer than its interval",
           duration_setting(o.timeout, Duration(100), seconds(600))},
          {"scrape.connections", "N", "100", "scrapes at the same time; further ones wait",
           count_setting(o.connections_max, 1, 10'000)},
          {"scrape.body_bytes", "BYTES", "64M", "the longest answer of a target",
           bytes_setting(o.body_bytes_max, 1 << 10, size_t{1} << 30)},
          {"scrape.all_body_bytes", "BYTES", "256M", "memory for all answers that are being received",
           bytes_setting(o.all_bodies_bytes_max, 1 << 10)},
          {"scrape.authority", "FILE", "",
           "certificates to trust for https targets, PEM; empty: those of the system",
           text_setting(o.authority)}};
}

}  // namespace statmill

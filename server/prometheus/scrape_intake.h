// ScrapeIntake: adds what targets answered to scrapes to the table, cumulative counters as their increments.
//
// It also says which series end: all of a target whose scrape failed, those that an answer lacks and the one
// before had, and all of a target that is scraped no more. Samples whose time the target says end nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ingest/intake.h"
#include "ingest/scrape/scraper.h"
#include "server/prometheus/remote_table.h"

namespace statmill {

// Confined to the scraper's thread.
class ScrapeIntake final : public ScrapeSink {
 public:
  // All must outlive it. Samples are counted for the listener "scrape".
  ScrapeIntake(RemoteTable& table, FamilyTypes& types, Intake& intake, const Clock& clock);

  // What is about a scrape: up, 1 or 0; scrape_duration_seconds; scrape_samples_scraped, also those that are
  // dropped or refused.
  void scraped(const Scrape& scrape) override;
  void removed(const ScrapeTarget& target) override;

 private:
  RemoteTable& table_;
  FamilyTypes& types_;
  Intake& intake_;
  const Clock& clock_;
  const ListenerAccount account_;
  // By the key of the target: the names of its series that its last scrape had, sorted; and of those about
  // the scrapes.
  struct Names {
    std::vector<Hash128> scraped;
    std::vector<Hash128> reports;
  };
  std::map<std::string, Names> names_;
};

}  // namespace statmill

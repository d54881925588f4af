// ScrapeIntake: adds what targets answered to scrapes to the table, cumulative counters as their increments.
#pragma once

#include "base/clock.h"
#include "ingest/intake.h"
#include "ingest/scrape/scraper.h"
#include "server/prometheus/remote_table.h"

namespace statmill {

// Confined to the scraper's thread.
class ScrapeIntake final : public ScrapeSink {
 public:
  // All must outlive it. Samples are counted for the listener "scrape".
  ScrapeIntake(RemoteTable& table, FamilyTypes& types, Intake& intake, Registry& registry,
               const Clock& clock);

  // What is about a scrape: up, 1 or 0; scrape_duration_seconds; scrape_samples_scraped, also those that are
  // dropped or refused.
  void scraped(const Scrape& scrape) override;

 private:
  RemoteTable& table_;
  FamilyTypes& types_;
  Intake& intake_;
  const Clock& clock_;
  const ListenerAccount account_;
  Counter& exemplars_;
};

}  // namespace statmill

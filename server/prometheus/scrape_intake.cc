#include "server/prometheus/scrape_intake.h"

#include <boost/asio/ip/address.hpp>

#include "base/net/session_limit.h"
#include "server/prometheus/exposition_pieces.h"

namespace statmill {
namespace {

// A target with a name, whose addresses may change, has no sender of its own.
LineSender sender_of(const ScrapeTarget& target) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(target.host, error);
  return error ? LineSender::http() : LineSender::host(address_bytes(address));
}

}  // namespace

ScrapeIntake::ScrapeIntake(RemoteTable& table, FamilyTypes& types, Intake& intake, Registry& registry,
                           const Clock& clock)
    : table_(table),
      types_(types),
      intake_(intake),
      clock_(clock),
      account_(intake.account("scrape")),
      exemplars_(registry.counter("statmill.scrape_exemplars_dropped",
                                  "Exemplars of scraped targets, which are not kept.")) {}

void ScrapeIntake::scraped(const Scrape& scrape) {
  ExpositionPieces pieces(table_, types_, intake_, account_, clock_.wall(), sender_of(scrape.target));
  ScrapedCount count;
  if (scrape.body != nullptr) {
    account_.bytes.add(scrape.body->text.size());
    count = read_scraped(scrape.target, scrape.body->text, scrape.body->format, scrape.at, pieces);
    exemplars_.add(count.exemplars);
  }
  const auto report = [&](std::string_view metric, const Number& value) {
    add_report(scrape.target, metric, value, scrape.at, pieces);
  };
  report("up", Number::decimal(scrape.body != nullptr ? 1 : 0, 0));
  report("scrape_duration_seconds", Number::decimal(scrape.took.count(), 3));
  report("scrape_samples_scraped", Number::decimal(static_cast<int64_t>(count.values), 0));
  pieces.finish();
}

}  // namespace statmill

#include "server/prometheus/scrape_intake.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <iterator>
#include <utility>

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

bool is_before(const Hash128& a, const Hash128& b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

}  // namespace

ScrapeIntake::ScrapeIntake(RemoteTable& table, FamilyTypes& types, Intake& intake, const Clock& clock)
    : table_(table), types_(types), intake_(intake), clock_(clock), account_(intake.account("scrape")) {}

void ScrapeIntake::scraped(const Scrape& scrape) {
  ExpositionPieces pieces(table_, types_, intake_, account_, clock_.wall(), sender_of(scrape.target));
  Names names;
  pieces.note_names_in(&names.scraped);
  uint64_t values = 0;
  if (scrape.body != nullptr) {
    account_.bytes.add(scrape.body->text.size());
    values = read_scraped(scrape.target, scrape.body->text, scrape.body->format, scrape.at, pieces);
  }
  pieces.note_names_in(&names.reports);
  add_reports(scrape.target, {scrape.body != nullptr, scrape.took, values}, scrape.at, pieces);
  pieces.finish();
  std::sort(names.scraped.begin(), names.scraped.end(), is_before);
  Names& before = names_[scrape.target.key()];
  std::vector<Hash128> ended;
  std::set_difference(before.scraped.begin(), before.scraped.end(), names.scraped.begin(),
                      names.scraped.end(), std::back_inserter(ended), is_before);
  before = std::move(names);
  table_.end_series(ended, scrape.at.time_since_epoch().count());
}

void ScrapeIntake::removed(const ScrapeTarget& target) {
  const auto found = names_.find(target.key());
  if (found == names_.end()) return;
  const int64_t now_ms = clock_.wall().time_since_epoch().count();
  table_.end_series(found->second.scraped, now_ms);
  table_.end_series(found->second.reports, now_ms);
  names_.erase(found);
}

}  // namespace statmill

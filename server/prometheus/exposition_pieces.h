// ExpositionPieces: adds what is read from a text of metrics to the table, in pieces.
#pragma once

#include <vector>

#include "ingest/family_types.h"
#include "ingest/scrape/scraped_values.h"
#include "server/prometheus/family_description.h"
#include "server/prometheus/remote_pieces.h"

namespace statmill {

// Confined to one thread.
class ExpositionPieces final : public ScrapeVisitor {
 public:
  // The arguments are those of RemotePieces; `types` learns the types of families. All must outlive it.
  ExpositionPieces(RemoteTable& table, FamilyTypes& types, Intake& intake, const ListenerAccount& account,
                   Timestamp now, const LineSender& sender)
      : types_(types), pieces_(table, intake, account, now, sender) {}

  // Refused values fill it, too, so it is looked at before each one.
  Batch& batch() override {
    if (pieces_.is_full()) pieces_.submit();
    return pieces_.batch();
  }
  // The hashes of the names of the values that come now are added to `names`, without those whose time the
  // text says. nullptr: nobody wants them.
  void note_names_in(std::vector<Hash128>* names) { names_ = names; }
  void add(const ScrapedValue& value) override {
    if (names_ != nullptr && !value.has_own_time) names_->push_back(SeriesEnds::key(value.name));
    pieces_.add({value.name, {value.value, value.time_ms, 0}, {value.type, value.has_le}});
  }
  void add_family(const ExpositionFamily& family, std::string_view name) override {
    if (name != family.name) types_.note(family.name, family.type);
    note_family({name, family.type, family.unit, family.help}, types_, pieces_.batch());
  }
  // Adds what has been collected. Returns the account of all.
  const RemoteAccount& finish() {
    pieces_.submit();
    return pieces_.account();
  }

 private:
  FamilyTypes& types_;
  RemotePieces pieces_;
  std::vector<Hash128>* names_ = nullptr;
};

}  // namespace statmill

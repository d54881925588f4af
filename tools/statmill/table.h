// Formats answers as text for people (TextTable: aligned columns) and for programs (CSV, RFC 4180).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_text.h"
#include "tools/statmill/answer.h"

namespace statmill {

enum class Align { kLeft, kRight };

// Rows of cells under a header. Each column is as wide as its widest cell; two blanks separate columns.
class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Requires: as many cells as columns.
  void add(std::vector<std::string> cells);
  // Returns the table without trailing blanks. Control characters in cells are made visible
  // (base/visible.h).
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Times in tables for people are in `zone`, whose name is in the title of their column.
// Returns that title, "WHAT (CET)": the names that the zone has at the times.
std::string title_of(std::string_view what, const std::vector<int64_t>& times, const Zone& zone);

// Returns one block per series and one row per slot; "-" in empty slots, and one row for three or more of
// them. Numbers have four digits and the unit of their series. The result of an expression at one time is one
// table, with a row per series.
std::string query_table(const QueryTexts& result, const Zone& zone);
// Returns series,time,unix,<stat>...: one row per series and slot; a field is empty if the slot is, or if the
// series does not have the statistic. Numbers are as the server wrote them.
std::string query_csv(const QueryTexts& result);

enum class ListingForm {
  kShort,        // series, kind, last sample
  kLong,         // unit and help, too
  kDescription,  // all that is known: a block of lines for each series
};
std::string listing_table(const SeriesListing& listing, ListingForm form, const Zone& zone);
// Returns series,kind,last,unix; except in the short form, also unit,help,retention,first,first_unix.
std::string listing_csv(const SeriesListing& listing, ListingForm form);

// Adds an ellipsis to truncated lines.
std::string rejects_table(const std::vector<Reject>& rejects, const Zone& zone);
// Returns time,unix,listener,sender,reason,bytes,line.
std::string rejects_csv(const std::vector<Reject>& rejects);

// Returns counts, then tables of prefixes and of labels and, if samples were refused, of their senders and
// prefixes.
std::string cardinality_table(const Cardinality& cardinality);

// Returns one row per agent, "-" for values that the server does not know.
std::string agents_table(const KnownAgents& agents);

// Returns counts, then one line per fault.
std::string scrub_table(const ScrubReport& report);

// Returns one row "key  value" per pair, without a header.
std::string pairs_table(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace statmill

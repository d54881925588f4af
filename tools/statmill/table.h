// TextTable: answers as text for people (aligned columns) and for programs (CSV, RFC 4180).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/statmill/answer.h"

namespace statmill {

enum class Align { kLeft, kRight };

// Rows of cells under a header, each column as wide as its widest cell, two blanks between.
class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Requires: as many cells as columns.
  void add(std::vector<std::string> cells);
  // Lines end without blanks. Cells hold one line of text; their width is counted in bytes.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "2026-11-20 19:03:20", or "2026-11-20T19:03:20Z" for programs. UTC.
std::string time_for_people(int64_t unix_s);
std::string time_for_programs(int64_t unix_s);

// One block per series, one row per slot; "-" where the slot is empty.
std::string query_table(const QueryResult& result);
// series,time,unix,<stat>...; one row per series and slot, nothing where the slot is empty.
std::string query_csv(const QueryResult& result, const std::vector<std::string>& stats);

std::string listing_table(const SeriesListing& listing);
// series,kind,last,unix
std::string listing_csv(const SeriesListing& listing);

// An ellipsis behind lines that are longer.
std::string rejects_table(const std::vector<Reject>& rejects);
// time,unix,listener,sender,reason,bytes,line
std::string rejects_csv(const std::vector<Reject>& rejects);

// Counts, then a table of prefixes and, when samples were refused, of their senders and prefixes.
std::string cardinality_table(const Cardinality& cardinality);

// A row for each agent; "-" where the server says nothing.
std::string agents_table(const KnownAgents& agents);

// What a check found: counts, then a line for each fault.
std::string scrub_table(const ScrubReport& report);

// One row "key  value" for each pair, no header.
std::string pairs_table(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace statmill

#include "tools/statmill/table.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <initializer_list>

#include "base/check.h"
#include "base/csv_text.h"
#include "base/text.h"
#include "base/visible.h"
#include "proto/tagged_name.h"
#include "tools/statmill/chart/axis.h"
#include "tools/statmill/chart/units.h"
#include "tools/statmill/terminal/text_cells.h"

namespace statmill {

std::string title_of(std::string_view what, const std::vector<int64_t>& times, const Zone& zone) {
  std::vector<std::string> names;
  for (const int64_t time_s : times) {
    std::string name = zone(time_s).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  std::string out(what);
  for (size_t i = 0; i < names.size(); ++i) out.append(i == 0 ? " (" : ", ").append(names[i]);
  return names.empty() ? out : out + ")";
}

namespace {

std::string with_zone(int64_t unix_s, const Zone& zone) {
  return local_text(unix_s, zone) + " " + zone(unix_s).name;
}

std::vector<int64_t> slots_of(const QueryTexts& result) {
  std::vector<int64_t> times;
  for (int64_t time_s = result.from_s; time_s < result.until_s; time_s += result.step_s)
    times.push_back(time_s);
  return times;
}

// Appends a field. Names are texts as is_text() says and stay as they are, so that scripts find them again.
void append_csv_field(std::string& out, std::string_view text) {
  append_csv_text(out, is_text(text) ? std::string(text) : visible(text));
}

void append_csv_texts(std::string& out, std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    out.push_back(',');
    append_csv_field(out, text);
  }
}

// Appends a table of the hitters, with a header.
void append_hitters(std::string& out, const std::string& key, const std::string& counted,
                    const Hitters& hitters) {
  if (hitters.top.empty() && hitters.missed == 0) return;
  TextTable table({{key}, {counted, Align::kRight}});
  for (const auto& [name, count] : hitters.top) table.add({name, std::to_string(count)});
  out.append("\n").append(table.text());
  if (hitters.missed == 0) return;
  out.append("each count may be up to ").append(std::to_string(hitters.missed));
  out.append(" too low, also the 0 of a key that is not listed\n");
}

// Returns the statistics that any series has, in their order.
std::vector<std::string> stats_of(const QueryTexts& result) {
  std::vector<std::string> stats;
  for (const SeriesTexts& series : result.series) {
    for (const auto& [stat, values] : series.columns) {
      if (std::find(stats.begin(), stats.end(), stat) == stats.end()) stats.push_back(stat);
    }
  }
  return stats;
}

using Column = std::vector<std::optional<std::string>>;

// Returns the column of each statistic; nullptr if the series does not have it.
std::vector<const Column*> columns_of(const SeriesTexts& series, const std::vector<std::string>& stats) {
  std::vector<const Column*> columns;
  for (const std::string& stat : stats) {
    const auto found = std::find_if(series.columns.begin(), series.columns.end(),
                                    [&](const auto& column) { return column.first == stat; });
    columns.push_back(found != series.columns.end() ? &found->second : nullptr);
  }
  return columns;
}

// Returns a number for people: four digits and the unit. Other texts stay as they are.
std::string cell_text(const std::optional<std::string>& number, const Unit& unit) {
  constexpr int kDigits = 4;
  if (!number) return "-";
  char* end = nullptr;
  const double value = std::strtod(number->c_str(), &end);
  return end == number->c_str() || *end != '\0' ? *number : unit_text(value, unit, kDigits);
}

// Returns whether the result is of an expression at one time.
bool is_instant(const QueryTexts& result) {
  return !result.series.empty() && result.until_s - result.from_s == result.step_s &&
         result.series.front().kind.empty();
}

// One row per series.
std::string instant_table(const QueryTexts& result, const Zone& zone) {
  const std::vector<std::string> stats = stats_of(result);
  std::vector<TextTable::Column> columns = {{"series", Align::kLeft}};
  for (const std::string& stat : stats) columns.push_back({stat, Align::kRight});
  TextTable table(std::move(columns));
  for (const SeriesTexts& series : result.series) {
    std::vector<std::string> cells = {series.name};
    for (const Column* values : columns_of(series, stats))
      cells.push_back(values != nullptr ? cell_text(values->front(), Unit()) : "-");
    table.add(std::move(cells));
  }
  return with_zone(result.from_s, zone) + "\n" + table.text();
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  SM_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  std::string out;
  const auto add_line = [&](const auto& cell) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) out.append(2, ' ');
      const std::string& text = cell(i);
      const size_t padding = widths[i] - display_width(text);
      if (columns_[i].align == Align::kRight) out.append(padding, ' ');
      out.append(visible(text));
      if (columns_[i].align == Align::kLeft && i + 1 < columns_.size()) out.append(padding, ' ');
    }
    while (out.ends_with(' ')) out.pop_back();
    out.push_back('\n');
  };
  add_line([&](size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) add_line([&](size_t i) -> const std::string& { return row[i]; });
  return out;
}

namespace {

constexpr size_t kGapRowsMax = 2;  // longer gaps are one row

// Returns the first slot from `slot` on that has a value; `slot` if it has one itself.
size_t end_of_gap(const SeriesTexts& series, size_t slot, size_t slots) {
  const auto is_empty = [&](size_t at) {
    return std::none_of(series.columns.begin(), series.columns.end(),
                        [at](const auto& column) { return column.second[at].has_value(); });
  };
  while (slot < slots && is_empty(slot)) ++slot;
  return slot;
}

}  // namespace

std::string query_table(const QueryTexts& result, const Zone& zone) {
  if (is_instant(result)) return instant_table(result, zone);
  const std::vector<int64_t> slots = slots_of(result);
  const std::string title = title_of("time", slots, zone);
  std::string out;
  for (const SeriesTexts& series : result.series) {
    if (!out.empty()) out.push_back('\n');
    out.append(visible(series.name));
    if (!series.kind.empty()) out.append("  ").append(visible(series.kind));
    out.append("  step ").append(format_duration(std::chrono::seconds(result.step_s))).append("\n");
    std::vector<TextTable::Column> columns = {{title, Align::kLeft}};
    for (const auto& [stat, values] : series.columns) columns.push_back({stat, Align::kRight});
    TextTable table(std::move(columns));
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      const size_t end = end_of_gap(series, slot, slots.size());
      if (end - slot > kGapRowsMax) {
        std::vector<std::string> cells = {std::to_string(end - slot) + " rows without data"};
        cells.resize(1 + series.columns.size());
        table.add(std::move(cells));
        slot = end - 1;
        continue;
      }
      std::vector<std::string> cells = {local_text(slots[slot], zone)};
      for (const auto& [stat, values] : series.columns)
        cells.push_back(cell_text(values[slot], unit_of(series.unit, series.kind, stat)));
      table.add(std::move(cells));
    }
    out.append(table.text());
  }
  return out;
}

std::string query_csv(const QueryTexts& result) {
  const std::vector<std::string> stats = stats_of(result);
  std::string out = "series,time,unix";
  for (const std::string& stat : stats) append_csv_texts(out, {stat});
  out.push_back('\n');
  for (const SeriesTexts& series : result.series) {
    const std::vector<const Column*> columns = columns_of(series, stats);
    size_t slot = 0;
    for (int64_t time_s = result.from_s; time_s < result.until_s; time_s += result.step_s, ++slot) {
      append_csv_field(out, series.name);
      out.append(",").append(iso_time(time_s)).append(",").append(std::to_string(time_s));
      for (const auto* values : columns)
        out.append(",").append(values != nullptr ? (*values)[slot].value_or("") : "");
      out.push_back('\n');
    }
  }
  return out;
}

namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

// Returns the tags of a name, separated by commas.
std::string tags_of(std::string_view name) {
  const size_t end = name.find(';');
  std::string tags(end == std::string_view::npos ? std::string_view() : name.substr(end + 1));
  for (size_t at = 0; (at = tags.find(';', at)) != std::string::npos; at += 2) tags.replace(at, 1, ", ");
  return tags;
}

std::string description(const SeriesListing& listing, const Zone& zone) {
  std::string out;
  for (const ListedSeries& s : listing.series) {
    if (!out.empty()) out.push_back('\n');
    out.append(visible(s.name)).push_back('\n');
    const std::vector<std::pair<std::string_view, std::string>> lines = {
        {"kind", s.kind},
        {"unit", s.unit},
        {"help", s.help},
        {"tags", tags_of(s.name)},
        {"retention", s.retention},
        {"first sample", with_zone(s.first_s, zone)},
        {"last sample", with_zone(s.last_s, zone)}};
    for (const auto& [what, text] : lines)
      out.append("  ").append(what).append(14 - what.size(), ' ').append(visible(or_dash(text))).append("\n");
  }
  return out;
}

}  // namespace

std::string listing_table(const SeriesListing& listing, ListingForm form, const Zone& zone) {
  if (form == ListingForm::kDescription) return description(listing, zone);
  std::vector<int64_t> times;
  times.reserve(listing.series.size());
  for (const ListedSeries& s : listing.series) times.push_back(s.last_s);
  const std::string last = title_of("last sample", times, zone);
  const bool is_long = form == ListingForm::kLong;
  TextTable table(is_long ? std::vector<TextTable::Column>{{"series"}, {"kind"}, {"unit"}, {last}, {"help"}}
                          : std::vector<TextTable::Column>{{"series"}, {"kind"}, {last}});
  for (const ListedSeries& s : listing.series) {
    if (is_long) {
      table.add({s.name, s.kind, or_dash(s.unit), local_text(s.last_s, zone), s.help});
    } else {
      table.add({s.name, s.kind, local_text(s.last_s, zone)});
    }
  }
  return table.text();
}

std::string listing_csv(const SeriesListing& listing, ListingForm form) {
  const bool is_short = form == ListingForm::kShort;
  std::string out =
      is_short ? "series,kind,last,unix\n" : "series,kind,last,unix,unit,help,retention,first,first_unix\n";
  for (const ListedSeries& s : listing.series) {
    append_csv_field(out, s.name);
    append_csv_texts(out, {s.kind, iso_time(s.last_s)});
    out.append(",").append(std::to_string(s.last_s));
    if (!is_short) {
      append_csv_texts(out, {s.unit, s.help, s.retention, iso_time(s.first_s)});
      out.append(",").append(std::to_string(s.first_s));
    }
    out.push_back('\n');
  }
  return out;
}

std::string rejects_table(const std::vector<Reject>& rejects, const Zone& zone) {
  std::vector<int64_t> times;
  times.reserve(rejects.size());
  for (const Reject& r : rejects) times.push_back(r.time_s);
  TextTable table({{title_of("time", times, zone)}, {"listener"}, {"sender"}, {"reason"}, {"line"}});
  for (const Reject& r : rejects) {
    table.add({local_text(r.time_s, zone), r.listener, r.sender, r.reason + (r.accepted ? " (accepted)" : ""),
               r.line + (r.truncated ? "..." : "")});
  }
  return table.text();
}

std::string rejects_csv(const std::vector<Reject>& rejects) {
  std::string out = "time,unix,listener,sender,reason,accepted,bytes,line\n";
  for (const Reject& r : rejects) {
    out.append(iso_time(r.time_s)).append(",").append(std::to_string(r.time_s));
    append_csv_texts(out, {r.listener, r.sender, r.reason, r.accepted ? "yes" : "no"});
    out.append(",").append(std::to_string(r.bytes));
    append_csv_texts(out, {r.line});
    out.push_back('\n');
  }
  return out;
}

std::string cardinality_table(const Cardinality& c) {
  const auto text_of = [](uint64_t n) { return std::to_string(n); };
  std::vector<std::pair<std::string, std::string>> pairs = {
      {"series", text_of(c.series)},
      {"with samples in the last 24 h", text_of(c.active_series) + " of " + text_of(c.series_limit)},
      {"new in the last minute", text_of(c.new_in_last_minute)},
      {"samples refused for lack of room", text_of(c.refused)}};
  if (c.series_per_sender_limit > 0)
    pairs.emplace_back("limit of series per sender", text_of(c.series_per_sender_limit));
  std::string out = pairs_table(pairs);
  append_hitters(out, "prefix", "series", c.prefixes);
  append_hitters(out, "label", "values", c.labels);
  append_hitters(out, "sender", "samples refused", c.refused_by_sender);
  append_hitters(out, "prefix", "samples refused", c.refused_by_prefix);
  return out;
}

std::string agents_table(const KnownAgents& agents) {
  TextTable table({{"host"},
                   {"id"},
                   {"connected"},
                   {"peer"},
                   {"version"},
                   {"clock ms", Align::kRight},
                   {"durable", Align::kRight},
                   {"lag s", Align::kRight},
                   {"lost", Align::kRight},
                   {"refused", Align::kRight},
                   {"gaps", Align::kRight},
                   {"spool bytes", Align::kRight},
                   {"trouble", Align::kRight}});
  for (const ListedAgent& a : agents.agents) {
    table.add({a.host, a.id, a.is_connected ? "yes" : "no", a.peer, a.version, a.clock_ms, a.durable, a.lag_s,
               a.lines_lost, a.lines_refused, a.gaps, a.spool_bytes, a.troubles});
  }
  return table.text();
}

std::string scrub_table(const ScrubReport& report) {
  const auto text_of = [](uint64_t n) { return std::to_string(n); };
  TextTable table({{"what"},
                   {"rows", Align::kRight},
                   {"frames", Align::kRight},
                   {"buckets", Align::kRight},
                   {"histograms", Align::kRight},
                   {"bytes", Align::kRight}});
  for (const ScrubReport::Tier& t : report.tiers)
    table.add({t.name, text_of(t.rows), text_of(t.frames), text_of(t.buckets), text_of(t.histograms),
               text_of(t.bytes)});
  table.add({"journal", text_of(report.journal_rows), "", text_of(report.journal_entries), "", ""});
  table.add({"activity", text_of(report.activity_rows), "", "", "", ""});
  table.add({"exemplars", text_of(report.exemplars), "", "", "", ""});
  table.add({"series", text_of(report.series), "", "", "", ""});
  table.add({"files", text_of(report.files), "", "", "", text_of(report.file_bytes)});
  std::string out = table.text();
  for (const ScrubReport::Fault& fault : report.faults)
    out.append(visible(fault.where + ": " + fault.what)).append("\n");
  return out;
}

std::string pairs_table(const std::vector<std::pair<std::string, std::string>>& pairs) {
  size_t width = 0;
  for (const auto& [key, value] : pairs) width = std::max(width, display_width(key));
  std::string out;
  for (const auto& [key, value] : pairs) {
    out.append(visible(key)).append(width - display_width(key) + 2, ' ');
    out.append(visible(value)).append("\n");
  }
  return out;
}

}  // namespace statmill

#include <boost/program_options/value_semantic.hpp>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {

Outcome run_list(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "ls [OPTION]... [PATTERN]",
              .text = "Lists series by name: all, or those that match the pattern (* ? [a-z] {one,two}).",
              .operands_max = 1};
  usage.options.add_options()  //
      ("limit", po::value<std::string>()->default_value("1000")->value_name("COUNT"),
       "list at most this many")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  const Result<int64_t> limit = parse_integer(line.text("limit"), 1, 100'000);
  if (!limit) return outcome_of(Error(limit.error()).with("--limit"));
  const std::string pattern = line.operands().empty() ? "*" : line.operands().front();
  const Result<HttpAnswer> answer =
      line.client().get("/api/v1/series", {{"match", pattern}, {"limit", std::to_string(*limit)}});
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<SeriesListing> listing = parse_series_listing(answer->body);
  if (!listing) return outcome_of(listing.error());
  Outcome out;
  if (*format == Format::kTable) out.output = listing_table(*listing);
  if (*format == Format::kCsv) out.output = listing_csv(*listing);
  if (*format == Format::kJson)
    out.output = answer->body.ends_with('\n') ? answer->body : answer->body + "\n";
  if (listing->truncated)
    out.messages = "statmill: more series match than --limit " + std::to_string(*limit) + "\n";
  if (listing->series.empty()) out.messages = "statmill: no series matches\n";
  return out;
}

}  // namespace statmill

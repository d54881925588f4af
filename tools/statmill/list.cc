#include <algorithm>
#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <vector>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/similar.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

void add_list_options(Usage& usage, const char* limit) {
  namespace po = boost::program_options;
  usage.options.add_options()  //
      ("limit", po::value<std::string>()->default_value(limit)->value_name("COUNT"),
       "list at most this many")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
}

// Asks for the series that match and formats the answer.
Outcome list_series(const CommandLine& line, const std::string& pattern, ListingForm form) {
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  const Result<int64_t> limit = parse_integer(line.text("limit"), 1, 100'000);
  if (!limit) return outcome_of(Error(limit.error()).with("--limit"));
  const Result<HttpAnswer> answer =
      line.client().get("/api/v1/series", {{"match", pattern}, {"limit", std::to_string(*limit)}});
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<SeriesListing> listing = parse_series_listing(answer->body);
  if (!listing) return outcome_of(listing.error());
  Outcome out;
  if (*format == Format::kTable) out.output = listing_table(*listing, form, line.zone());
  if (*format == Format::kCsv) out.output = listing_csv(*listing, form);
  if (*format == Format::kJson) out.output = json_output(answer->body);
  if (listing->truncated)
    out.messages = "statmill: more series match than --limit " + std::to_string(*limit) + "\n";
  if (listing->series.empty()) {
    out.messages = no_series_message(line.client(), std::array{pattern});
    if (form == ListingForm::kDescription) out.code = ExitCode::kFailed;
  }
  return out;
}

}  // namespace

Outcome run_list(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "ls [OPTION]... [PATTERN]",
              .text =
                  "Lists series by name: all, or those that match the pattern (* ? [a-z] {one,two}).\n"
                  "-l is the same as --long.",
              .operands_max = 1,
              .has_times = true};
  usage.options.add_options()("long", "show unit and help, too");
  add_list_options(usage, "1000");
  // All other options are long ones, because names may begin with a dash.
  std::vector<std::string> long_arguments(arguments.begin(), arguments.end());
  const auto operands = std::find(long_arguments.begin(), long_arguments.end(), "--");
  std::replace(long_arguments.begin(), operands, std::string("-l"), std::string("--long"));
  const CommandLine line(std::move(usage), long_arguments, environment);
  if (line.outcome()) return *line.outcome();
  const std::string pattern = line.operands().empty() ? "*" : line.operands().front();
  return list_series(line, pattern, line.has("long") ? ListingForm::kLong : ListingForm::kShort);
}

Outcome run_describe(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{
      .synopsis = "describe [OPTION]... NAME_OR_PATTERN",
      .text =
          "Prints what is known of a series, or of all that match a pattern (* ? [a-z] {one,two}): kind,\n"
          "unit, help, tags, retention, and the times of the first and the last sample.",
      .operands_min = 1,
      .operands_max = 1,
      .has_times = true};
  add_list_options(usage, "20");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  return list_series(line, line.operands().front(), ListingForm::kDescription);
}

}  // namespace statmill

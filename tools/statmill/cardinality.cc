#include <boost/program_options/value_semantic.hpp>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {

Outcome run_cardinality(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{
      .synopsis = "cardinality [OPTION]...",
      .text =
          "Prints the number of series and its limit, the most frequent prefixes, the labels with most\n"
          "values since the server's start, and the senders and prefixes of samples that were refused\n"
          "because there was no room for a new series.",
      .operands_max = 0};
  usage.options.add_options()  //
      ("parts", po::value<std::string>()->default_value("1")->value_name("COUNT"),
       "how many parts of the path form a prefix")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table or json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  if (*format == Format::kCsv)
    return outcome_of(Error{ErrorCode::kInvalid, "--format csv: cardinality is not one table"});
  const Result<int64_t> parts = parse_integer(line.text("parts"), 1, 8);
  if (!parts) return outcome_of(Error(parts.error()).with("--parts"));
  const Result<HttpAnswer> answer =
      line.client().get("/api/v1/status/cardinality", {{"parts", std::to_string(*parts)}});
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  if (*format == Format::kJson) return {.output = json_output(answer->body)};
  const Result<Cardinality> cardinality = parse_cardinality(answer->body);
  if (!cardinality) return outcome_of(cardinality.error());
  return {.output = cardinality_table(*cardinality)};
}

}  // namespace statmill

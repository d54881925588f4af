#include <boost/program_options/value_semantic.hpp>

#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {

Outcome run_status(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "status [OPTION]...", .text = "Prints the server's status.", .operands_max = 0};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table or json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  if (*format == Format::kCsv)
    return outcome_of(Error{ErrorCode::kInvalid, "--format csv: status has no rows"});
  const Result<HttpAnswer> answer = line.client().get("/api/v1/status");
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  if (*format == Format::kJson) return {.output = json_output(answer->body)};
  const auto pairs = flatten_object(answer->body);
  if (!pairs) return outcome_of(pairs.error());
  return {.output = pairs_table(*pairs)};
}

}  // namespace statmill

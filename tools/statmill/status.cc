// `statmill status`: prints what the server says of itself.
#include <boost/program_options/value_semantic.hpp>

#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {

Outcome run_status(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{
      .synopsis = "status [OPTION]...", .text = "Prints what the server says of itself.", .operands_max = 0};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table or json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return ending(format.error());
  if (*format == Format::kCsv) return ending(Error{ErrorCode::kInvalid, "--format csv: status has no rows"});
  const Result<HttpAnswer> answer = line.client().get("/api/v1/status");
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  if (*format == Format::kJson)
    return {.data = answer->body.ends_with('\n') ? answer->body : answer->body + "\n"};
  const auto pairs = flatten_object(answer->body);
  if (!pairs) return ending(pairs.error());
  return {.data = pairs_table(*pairs)};
}

}  // namespace statmill

// `statmill cardinality`: prints whose series there are most of, and who asks for more than may be.
#include <boost/program_options/value_semantic.hpp>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {

Outcome run_cardinality(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "cardinality [OPTION]...",
              .text =
                  "Prints how many series there are and may be, the prefixes that most of them have, and "
                  "the senders\n"
                  "and prefixes of samples that were refused for want of room for a new series.",
              .operands_max = 0};
  usage.options.add_options()  //
      ("parts", po::value<std::string>()->default_value("1")->value_name("COUNT"),
       "parts of the path that make a prefix")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table or json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return ending(format.error());
  if (*format == Format::kCsv)
    return ending(Error{ErrorCode::kInvalid, "--format csv: cardinality is not one table"});
  const Result<int64_t> parts = parse_integer(line.text("parts"), 1, 8);
  if (!parts) return ending(Error(parts.error()).with("--parts"));
  const Result<HttpAnswer> answer =
      line.client().get("/api/v1/status/cardinality", {{"parts", std::to_string(*parts)}});
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  if (*format == Format::kJson) return {.data = answer->body};
  const Result<Cardinality> cardinality = parse_cardinality(answer->body);
  if (!cardinality) return ending(cardinality.error());
  return {.data = cardinality_table(*cardinality)};
}

}  // namespace statmill

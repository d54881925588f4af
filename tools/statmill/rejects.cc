// `statmill rejects`: prints the last lines that the server refused.
#include <boost/program_options/value_semantic.hpp>

#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {

Outcome run_rejects(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "rejects [OPTION]...",
              .text =
                  "Prints the last lines that the server refused, the newest first: the first 200 bytes "
                  "of each, or\n"
                  "the name of a series that could take no sample.",
              .operands_max = 0};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return ending(format.error());
  const Result<HttpAnswer> answer = line.client().get("/api/v1/status/rejects");
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<std::vector<Reject>> rejects = parse_rejects(answer->body);
  if (!rejects) return ending(rejects.error());
  Outcome out;
  if (*format == Format::kTable) out.data = rejects_table(*rejects);
  if (*format == Format::kCsv) out.data = rejects_csv(*rejects);
  if (*format == Format::kJson) out.data = answer->body;
  if (rejects->empty()) out.talk = "statmill: nothing has been refused\n";
  return out;
}

}  // namespace statmill

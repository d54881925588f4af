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
                  "Prints the lines that the server refused last, newest first: the first 200 bytes of each\n"
                  "line, or the name of the series if the table refused the sample.",
              .operands_max = 0,
              .has_times = true};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  const Result<HttpAnswer> answer = line.client().get("/api/v1/status/rejects");
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<std::vector<Reject>> rejects = parse_rejects(answer->body);
  if (!rejects) return outcome_of(rejects.error());
  Outcome out;
  if (*format == Format::kTable) out.output = rejects_table(*rejects, line.zone());
  if (*format == Format::kCsv) out.output = rejects_csv(*rejects);
  if (*format == Format::kJson) out.output = json_output(answer->body);
  if (rejects->empty()) out.messages = "statmill: nothing has been refused\n";
  return out;
}

}  // namespace statmill

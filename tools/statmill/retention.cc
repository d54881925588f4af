#include <boost/program_options/value_semantic.hpp>

#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/retention_answer.h"

namespace statmill {
namespace {

constexpr std::string_view kRetentionText =
    "Prints for how long the series of each rule are kept in each tier, how many there are, their oldest\n"
    "sample, and about how many bytes they have in the store. With --dry-run it also prints what a reload "
    "of\n"
    "the server would change and drop: the server reads its settings again, as it does at `systemctl reload\n"
    "statmilld`, and changes nothing. Options of the retention take the place of those settings.";

}  // namespace

Outcome run_retention(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "retention [OPTION]...",
              .text = kRetentionText,
              .operands_max = 0,
              .peer = Peer::kAdmin,
              .has_times = true};
  usage.options.add_options()                                                                      //
      ("dry-run", "also print what a reload would drop; it changes nothing")                       //
      ("retention", po::value<std::string>()->value_name("TIERS"), "with --dry-run: these tiers")  //
      ("retention.rule", po::value<std::vector<std::string>>()->composing()->value_name("RULE"),
       "with --dry-run: this rule; repeated, all rules")  //
      ("retention.host_seconds", po::value<std::string>()->value_name("TIME"),
       "with --dry-run: so long for the seconds of hosts")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  UrlParameters parameters = {{"dry_run", line.has("dry-run") ? "true" : "false"}};
  for (const char* option : {"retention", "retention.host_seconds"}) {
    if (line.has(option)) parameters.emplace_back(option, line.text(option));
  }
  for (const std::string& rule : line.texts("retention.rule"))
    parameters.emplace_back("retention.rule", rule);
  if (parameters.size() > 1 && !line.has("dry-run"))
    return outcome_of(Error{ErrorCode::kInvalid, "--" + parameters[1].first + " needs --dry-run"});
  const Result<HttpAnswer> answer = line.client().get("/admin/v1/retention", parameters);
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<KeptClasses> kept = parse_kept_classes(answer->body);
  if (!kept) return outcome_of(kept.error());
  Outcome out;
  if (*format == Format::kTable) out.output = kept_table(*kept, line.zone());
  if (*format == Format::kCsv) out.output = kept_csv(*kept);
  if (*format == Format::kJson) out.output = json_output(answer->body);
  if (kept->is_dry_run) out.messages = "statmill: " + dropped_text(*kept) + "\n";
  return out;
}

}  // namespace statmill

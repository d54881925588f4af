#include <boost/program_options/value_semantic.hpp>

#include "base/glob.h"
#include "base/text.h"
#include "base/visible.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kDeleteText =
    "Deletes series, by name or by pattern (* ? [a-z] {one,two}), for good. With --from or --until, deletes\n"
    "only data in that range, and series that have no other data. Both must be multiples of the coarsest\n"
    "tier's step, 1h by default.";

constexpr std::string_view kRenameText =
    "Renames a series, which keeps its samples. The new name must be free. With one * in both names, "
    "renames\n"
    "all series that match OLD: rename 'web.*.cpu' 'host.*.cpu'.";

// Returns the request's parameters. Errors: kInvalid for times that the server would not understand either.
Result<UrlParameters> parameters_of(const CommandLine& line) {
  UrlParameters out = {{"all", line.has("all") ? "true" : "false"}};
  for (const char* option : {"from", "until"}) {
    if (!line.has(option)) continue;
    const Result<int64_t> time_s = line.time(line.text(option));
    if (!time_s) return Error(time_s.error()).with(std::string("--") + option);
    out.emplace_back(option, std::to_string(*time_s));
  }
  for (const std::string& operand : line.operands()) {
    if (Glob::is_pattern(operand)) out.emplace_back("match", operand);
  }
  return out;
}

// Runs a command as a dry run: prints the affected series and their number.
Outcome list(const CommandLine& line, std::string_view path, std::string body, UrlParameters parameters,
             std::string_view done) {
  parameters.emplace_back("dry_run", "true");
  const Result<HttpAnswer> answer = line.client().post(path, std::move(body), parameters);
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<Selection> selection = parse_selection(answer->body);
  if (!selection) return outcome_of(selection.error());
  Outcome out;
  for (const std::string& series : selection->series) out.output += visible(series) + "\n";
  if (selection->truncated) out.output += "...\n";
  out.messages =
      "statmill: " + std::to_string(selection->count) + " series would be " + std::string(done) + "\n";
  return out;
}

}  // namespace

Outcome run_delete(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "delete [OPTION]... NAME_OR_PATTERN...",
              .text = kDeleteText,
              .operands_min = 1,
              .peer = Peer::kAdmin,
              .has_times = true};
  usage.options.add_options()  //
      ("from", po::value<std::string>()->value_name("TIME"),
       "only data from this time on, such as -6h or \"2026-11-20 14:30\"")                   //
      ("until", po::value<std::string>()->value_name("TIME"), "only data before this time")  //
      ("all", "allow a pattern that matches all series, *")                                  //
      ("dry-run", "change nothing; print the names");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<UrlParameters> parameters = parameters_of(line);
  if (!parameters) return outcome_of(parameters.error());
  std::string names;
  for (const std::string& operand : line.operands()) {
    if (!Glob::is_pattern(operand)) names += operand + "\n";
  }
  if (line.has("dry-run")) return list(line, "/admin/v1/delete", names, *parameters, "affected");
  const Result<HttpAnswer> answer = line.client().post("/admin/v1/delete", names, *parameters);
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<uint64_t> deleted = parse_count(answer->body, "deleted");
  const Result<uint64_t> erased = parse_count(answer->body, "erased");
  if (!deleted || !erased) return outcome_of(deleted ? erased.error() : deleted.error());
  Outcome out{.output = "deleted " + std::to_string(*deleted) + " series\n"};
  if (line.has("from") || line.has("until"))
    out.output += "emptied " + std::to_string(*erased) + " over the range\n";
  return out;
}

Outcome run_rename(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "rename [OPTION]... OLD NEW",
              .text = kRenameText,
              .operands_min = 2,
              .operands_max = 2,
              .peer = Peer::kAdmin};
  usage.options.add_options()("dry-run", "change nothing; print old and new names");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const UrlParameters parameters = {{"from", line.operands()[0]}, {"to", line.operands()[1]}};
  if (line.has("dry-run")) return list(line, "/admin/v1/rename", {}, parameters, "renamed");
  const Result<HttpAnswer> answer = line.client().post("/admin/v1/rename", {}, parameters);
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<uint64_t> renamed = parse_count(answer->body, "renamed");
  if (!renamed) return outcome_of(renamed.error());
  return {.output = "renamed " + std::to_string(*renamed) + " series\n"};
}

}  // namespace statmill

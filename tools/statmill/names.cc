// `statmill delete` and `statmill rename`: series gone, emptied over a range of time, or under another name.
#include <boost/program_options/value_semantic.hpp>

#include "base/glob.h"
#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kDeleteText =
    "Deletes series, by name or by pattern (* ? [a-z] {one,two}), for ever. With --from or --until only "
    "what lies\n"
    "in between goes, and series that have nothing else; both are multiples of the coarsest tier's step, 1h "
    "as a\n"
    "rule.";

constexpr std::string_view kRenameText =
    "Gives a series another name, which must be free; its samples stay its own. With one * in both, all "
    "series\n"
    "that match OLD: rename 'web.*.cpu' 'host.*.cpu'.";

// The request's parameters. Errors: kInvalid for times that the server would not understand either.
Result<UrlParameters> parameters_of(const CommandLine& line, Timestamp now) {
  UrlParameters out = {{"all", line.has("all") ? "true" : "false"}};
  for (const char* option : {"from", "until"}) {
    if (!line.has(option)) continue;
    const Result<int64_t> time_s = parse_time(line.text(option), now);
    if (!time_s) return Error(time_s.error()).with(std::string("--") + option);
    out.emplace_back(option, std::to_string(*time_s));
  }
  for (const std::string& operand : line.operands()) {
    if (Glob::is_pattern(operand)) out.emplace_back("match", operand);
  }
  return out;
}

// A dry run: what is concerned, and how many they are.
Outcome list(const CommandLine& line, std::string_view path, std::string body, UrlParameters parameters,
             std::string_view done) {
  parameters.emplace_back("dry_run", "true");
  const Result<HttpAnswer> answer = line.client().post(path, std::move(body), parameters);
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<Selection> selection = parse_selection(answer->body);
  if (!selection) return ending(selection.error());
  Outcome out;
  for (const std::string& series : selection->series) out.data += series + "\n";
  if (selection->truncated) out.data += "...\n";
  out.talk = "statmill: " + std::to_string(selection->count) + " series would be " + std::string(done) + "\n";
  return out;
}

}  // namespace

Outcome run_delete(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "delete [OPTION]... NAME_OR_PATTERN...",
              .text = kDeleteText,
              .operands_min = 1,
              .peer = Peer::kAdmin};
  usage.options.add_options()  //
      ("from", po::value<std::string>()->value_name("TIME"),
       "only from here on: unix seconds, or back from now, like -6h")                   //
      ("until", po::value<std::string>()->value_name("TIME"), "only what lies before")  //
      ("all", "a pattern of all series, *, is meant")                                   //
      ("dry-run", "change nothing; print the names");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.ended_as()) return *line.ended_as();
  const Result<UrlParameters> parameters = parameters_of(line, environment.now);
  if (!parameters) return ending(parameters.error());
  std::string names;
  for (const std::string& operand : line.operands()) {
    if (!Glob::is_pattern(operand)) names += operand + "\n";
  }
  if (line.has("dry-run")) return list(line, "/admin/v1/delete", names, *parameters, "concerned");
  const Result<HttpAnswer> answer = line.client().post("/admin/v1/delete", names, *parameters);
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<uint64_t> deleted = parse_count(answer->body, "deleted");
  const Result<uint64_t> erased = parse_count(answer->body, "erased");
  if (!deleted || !erased) return ending(deleted ? erased.error() : deleted.error());
  Outcome out{.data = "deleted " + std::to_string(*deleted) + " series\n"};
  if (line.has("from") || line.has("until"))
    out.data += "emptied " + std::to_string(*erased) + " over the range\n";
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
  if (line.ended_as()) return *line.ended_as();
  const UrlParameters parameters = {{"from", line.operands()[0]}, {"to", line.operands()[1]}};
  if (line.has("dry-run")) return list(line, "/admin/v1/rename", {}, parameters, "renamed");
  const Result<HttpAnswer> answer = line.client().post("/admin/v1/rename", {}, parameters);
  if (!answer) return ending(answer.error());
  if (answer->status != 200) return ending(*answer);
  const Result<uint64_t> renamed = parse_count(answer->body, "renamed");
  if (!renamed) return ending(renamed.error());
  return {.data = "renamed " + std::to_string(*renamed) + " series\n"};
}

}  // namespace statmill

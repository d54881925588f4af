#include <boost/program_options/value_semantic.hpp>
#include <filesystem>

#include "base/text.h"
#include "proto/number.h"
#include "storage/files/files.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/slo/slo.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::string_view kSloText =
    "Prints the rules that watch a service level objective, for a folder of --rules of the server: the "
    "share\n"
    "that was bad in several windows, how much of the budget is left, and alerts when it burns too fast.\n"
    "NAME has small letters, digits and `-`. What is counted is either a distribution, or the _bucket "
    "series\n"
    "of a classic histogram, with a threshold; or counters of what was bad, and of all that there was:\n"
    "  statmill slo checkout --latency 'web.latency_ns{path=\"/buy\"}' --below 250ms --target 99.9\n"
    "  statmill slo api --bad 'requests{code=~\"5..\"}' --total requests --by region --rules "
    "/etc/statmill/rules\n"
    "A threshold for a distribution becomes the nearest edge of its buckets, so that counts are exact.";

Result<Slo> read_slo(const CommandLine& line) {
  Slo slo;
  slo.name = line.operands()[0];
  if (!is_slo_name(slo.name))
    return Error{ErrorCode::kInvalid, "the name of an objective has 1 to 50 small letters, digits and -"};
  const bool has_latency = line.has("latency") && line.has("below");
  const bool has_counters = line.has("bad") && line.has("total");
  if (has_latency == has_counters || line.has("latency") != line.has("below") ||
      line.has("bad") != line.has("total"))
    return Error{ErrorCode::kInvalid, "give either --latency and --below, or --bad and --total"};
  for (const auto& [option, out] :
       {std::pair{"latency", &slo.latency}, {"bad", &slo.bad}, {"total", &slo.total}}) {
    if (!line.has(option)) continue;
    auto selector = slo_selector(line.text(option));
    if (!selector) return selector.error();
    *out = *std::move(selector);
  }
  if (has_latency) {
    const Result<double> below = slo_threshold(line.text("below"), slo.latency);
    if (!below) return below.error();
    slo.below = is_classic_histogram(slo.latency) ? *below : nearest_edge(*below);
  }
  Number target;
  if (parse_number(line.text("target"), target).is_refused() || target.value() <= 0 || target.value() >= 100)
    return Error{ErrorCode::kInvalid, "--target is a percentage above 0 and below 100"};
  slo.target = target.value() / 100;
  const Result<Duration> window = parse_duration(line.text("window"));
  if (!window || *window < std::chrono::days(3) || *window > std::chrono::days(366))
    return Error{ErrorCode::kInvalid, "--window is from 3d to 1y"};
  slo.window = *window;
  slo.by = line.texts("by");
  for (const std::string& label : slo.by) {
    if (!is_label_name(label))
      return Error{ErrorCode::kInvalid,
                   "--by is the name of a label, of letters, digits and _, such as region: \"" +
                       visible_text(label) + "\" is none"};
  }
  return slo;
}

}  // namespace

Outcome run_slo(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "slo [OPTION]... NAME",
              .text = kSloText,
              .operands_min = 1,
              .operands_max = 1,
              .peer = Peer::kNone};
  const auto text = [] { return po::value<std::string>(); };
  usage.options.add_options()                                                                          //
      ("latency", text()->value_name("SELECTOR"), "the distribution that is measured")                 //
      ("below", text()->value_name("VALUE"), "what is good: 250ms, or a number in the series' unit")   //
      ("bad", text()->value_name("SELECTOR"), "a counter or event series of what was bad")             //
      ("total", text()->value_name("SELECTOR"), "one of all that there was")                           //
      ("target", text()->default_value("99.9")->value_name("PERCENT"), "the share that must be good")  //
      ("window", text()->default_value("30d")->value_name("TIME"),
       "over which the target holds, 3d to 1y")  //
      ("by", po::value<std::vector<std::string>>()->composing()->value_name("LABEL"),
       "a budget for each value of the label; repeatable")                                          //
      ("rules", text()->value_name("DIR"), "write DIR/slo-NAME.yml instead of printing the rules")  //
      ("dashboards", text()->value_name("DIR"), "also write a dashboard, DIR/slo-NAME.json");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Slo> slo = read_slo(line);
  if (!slo) return outcome_of(slo.error());
  Outcome out;
  const std::string file = "slo-" + slo->name;
  if (line.has("rules")) {
    if (Status s = write_whole_file(fs::path(line.text("rules")) / (file + ".yml"), slo_rules(*slo)); !s)
      return outcome_of(s.error());
  } else {
    out.output = slo_rules(*slo);
  }
  if (line.has("dashboards")) {
    if (Status s =
            write_whole_file(fs::path(line.text("dashboards")) / (file + ".json"), slo_dashboard(*slo));
        !s)
      return outcome_of(s.error());
  }
  return out;
}

}  // namespace statmill

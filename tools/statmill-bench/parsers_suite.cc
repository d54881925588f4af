#include "tools/statmill-bench/parsers_suite.h"

#include <algorithm>
#include <functional>
#include <random>

#include "base/thread_cpu.h"
#include "proto/graphite/parser.h"
#include "proto/influx/parser.h"
#include "proto/istatd/parser.h"
#include "proto/line_text.h"
#include "proto/statsd/parser.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

constexpr size_t kStatsdDatagramBytesMax = 1432;  // statsd clients send as much at once over Ethernet
constexpr size_t kReadBytesMax = size_t{64} << 10;

using Texts = std::vector<std::string>;

const AddedTags& no_tags() {
  static const AddedTags kNone;
  return kNone;
}
const AddedTags& host_tags() {
  static const AddedTags kHost = *AddedTags::read("dc=eu;host=web1.example.org");
  return kHost;
}
template <const AddedTags& (*kTags)()>
void parse_block(std::string_view text, Batch& batch) {
  parse_canonical_lines(text, kTags(), batch);
}
template <const AddedTags& (*kTags)()>
void parse_block_line(std::string_view line, Batch& batch) {
  parse_canonical_line(line, kTags(), batch);
}

// Makes lines like those of real clients, the same ones in each run.
class Lines {
 public:
  std::string istatd() { return path() + " " + value(); }
  std::string istatd_with_time() { return path() + " 1700000000 " + value(); }
  // As an agent sends them, in batches whose names get the tags kHostTags.
  std::string host_line() {
    static const std::vector<std::string> kNames = {"*host.block.bytes;device=vda;op=read",
                                                    "*host.cpu.time_ns;cpu=3;mode=user",
                                                    "*host.sched.runqueue_wait_ns",
                                                    "host.memory.free_bytes",
                                                    "*host.network.bytes;device=eth0;direction=in",
                                                    "*host.cgroup.cpu_ns;cgroup=/system.slice/ssh.service"};
    return kNames[below(kNames.size())] + " 1700000000 " + value();
  }
  std::string graphite() { return path() + " " + value() + " 1700000000"; }
  std::string statsd() {
    static const std::vector<std::string> kTypes = {"c", "c", "g", "ms", "ms|@0.1", "h"};
    const std::string& type = kTypes[below(kTypes.size())];
    return path() + ":" + (type == "c" ? std::to_string(1 + below(3)) : value()) + "|" + type;
  }
  std::string dogstatsd() {
    return statsd() + "|#env:prod,service:checkout,version:1.42." + std::to_string(below(10)) + ",host:web-" +
           std::to_string(below(100)) + (below(2) == 0 ? "" : ",region:eu-west-1");
  }
  // Points as Telegraf makes them, of ten fields and of one.
  std::string influx() {
    std::string point =
        "cpu,cpu=cpu" + std::to_string(below(8)) + ",host=web-" + std::to_string(below(100)) + " usage_user=";
    point += value();
    for (const char* field :
         {"system", "idle", "nice", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"})
      point.append(",usage_").append(field).append("=").append(value());
    return point + " 1700000000000000000";
  }
  std::string influx_single() {
    return "servers,host=web-" + std::to_string(below(100)) + " value=" + value() + " 1700000000000000000";
  }
  // Lines that the fast parser leaves to the general one.
  std::string dogstatsd_with_flag() { return dogstatsd() + ",canary"; }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  std::string value() { return std::to_string(below(2000)) + "." + std::to_string(below(100)); }
  std::string path() {
    static const std::vector<std::string> kPaths = {
        "shop.orders.created", "api.requests", "web.response_time",        "cache.hits",
        "queue.depth",         "db.pool.used", "payments.gateway.latency", "db.pool.connections_in_use"};
    return kPaths[below(kPaths.size())] + (below(2) == 0 ? "" : ".host" + std::to_string(below(100)));
  }

  std::minstd_rand random_{1};
};

// Returns texts of at most `bytes_max` bytes, or of one line. The last line of a datagram has no LF.
Texts texts_of(std::string (Lines::*make)(), uint64_t count, size_t bytes_max) {
  Texts texts(1);
  Lines lines;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string line = (lines.*make)();
    std::string& last = texts.back();
    if (last.empty()) {
      last = line;
    } else if (last.size() + 1 + line.size() <= bytes_max) {
      last.append("\n").append(line);
    } else {
      texts.push_back(line);
    }
  }
  return texts;
}

// Returns the CPU time per line, in ns.
template <class Batch, class Parse>
double ns_per_line(const Texts& texts, uint64_t lines, Batch& batch, const Parse& parse) {
  const uint64_t begin = thread_cpu_ns();
  for (const std::string& text : texts) {
    batch.clear();
    parse(std::string_view(text), batch);
  }
  return static_cast<double>(thread_cpu_ns() - begin) / static_cast<double>(lines);
}

struct ParserCase {
  std::string name;
  std::string (Lines::*make)();
  size_t bytes_max;
};

// Measures both ways alternately. `kParse` parses all lines of a text, `kParseLine` one, with the general
// parser.
template <class Batch, auto kParse, auto kParseLine>
Measured measure_parser(const ParserCase& of, const ParsersOptions& options) {
  const Texts texts = texts_of(of.make, options.lines, of.bytes_max);
  Batch batch;
  std::vector<double> whole;
  std::vector<double> general;
  for (size_t run = 0; run < options.runs; ++run) {
    whole.push_back(ns_per_line(texts, options.lines, batch, kParse));
    general.push_back(ns_per_line(texts, options.lines, batch, [](std::string_view text, Batch& to) {
      for_each_line(text, [&](std::string_view line) { kParseLine(line, to); });
    }));
  }
  return std::vector<Measurement>{
      {"parsers." + of.name + ".ns_per_line", percentile(whole, 50), "ns", options.lines},
      {"parsers." + of.name + ".general_ns_per_line", percentile(general, 50), "ns", options.lines}};
}

// Measures a dialect that has one parser.
template <auto kParse>
Measured measure_points(const ParserCase& of, const ParsersOptions& options) {
  const Texts texts = texts_of(of.make, options.lines, of.bytes_max);
  Batch batch;
  std::vector<double> times;
  for (size_t run = 0; run < options.runs; ++run)
    times.push_back(ns_per_line(texts, options.lines, batch, kParse));
  return std::vector<Measurement>{
      {"parsers." + of.name + ".ns_per_line", percentile(times, 50), "ns", options.lines}};
}

std::vector<Measure<ParsersOptions>> make_parsers_measures() {
  std::vector<Measure<ParsersOptions>> out;
  const auto add = [&out](auto measure_case, const std::vector<ParserCase>& cases) {
    for (const ParserCase& of : cases) {
      out.push_back({of.name, [of, measure_case](const ParsersOptions& o) { return measure_case(of, o); }});
    }
  };
  add(measure_parser<Batch, parse_istatd_lines, parse_istatd_line>,
      {{"istatd", &Lines::istatd, kReadBytesMax},
       {"istatd_with_time", &Lines::istatd_with_time, kReadBytesMax}});
  add(measure_parser<Batch, parse_block<no_tags>, parse_block_line<no_tags>>,
      {{"canonical", &Lines::istatd, kReadBytesMax},
       {"canonical_with_time", &Lines::istatd_with_time, kReadBytesMax},
       {"canonical_with_tags", &Lines::host_line, kReadBytesMax}});
  add(measure_parser<Batch, parse_block<host_tags>, parse_block_line<host_tags>>,
      {{"canonical_of_host", &Lines::host_line, kReadBytesMax}});
  add(measure_parser<Batch, parse_graphite_lines, parse_graphite_line>,
      {{"graphite", &Lines::graphite, kReadBytesMax}});
  add(measure_points<parse_influx_lines>,
      {{"influx", &Lines::influx, kReadBytesMax}, {"influx_single", &Lines::influx_single, kReadBytesMax}});
  add(measure_parser<StatsdBatch, parse_statsd_lines, parse_statsd_line>,
      {{"statsd", &Lines::statsd, kStatsdDatagramBytesMax},
       {"statsd_single", &Lines::statsd, 0},
       {"dogstatsd", &Lines::dogstatsd, kStatsdDatagramBytesMax},
       {"dogstatsd_single", &Lines::dogstatsd, 0},
       {"dogstatsd_with_flag", &Lines::dogstatsd_with_flag, kStatsdDatagramBytesMax}});
  return out;
}

}  // namespace

po::options_description describe_parsers() {
  po::options_description out("parsers; all measures take a few seconds", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(parsers_measures());
  out.add_options()                                                                      //
      ("only", text_value("NAME,..."), only.c_str())                                     //
      ("lines", text_value("COUNT")->default_value("20000"), "number of lines per run")  //
      ("runs", text_value("COUNT")->default_value("51"),
       "runs per measure, in turn; the medians are printed");
  return out;
}

Result<ParsersOptions> parsers_options(const po::variables_map& values) {
  auto only = measures_asked(values, parsers_measures());
  if (!only) return only.error();
  const Result<size_t> lines = count(values, "lines", {.max = 10'000'000});
  if (!lines) return lines.error();
  const Result<size_t> runs = count(values, "runs", {.max = 1000});
  if (!runs) return runs.error();
  return ParsersOptions{.only = std::move(*only), .lines = *lines, .runs = *runs};
}

std::vector<std::string> parsers_measures() { return names_of(make_parsers_measures()); }

Result<std::vector<Measurement>> run_parsers(const ParsersOptions& options, const std::filesystem::path&) {
  return run_measures(make_parsers_measures(), options.only, options);
}

}  // namespace statmill

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/hash.h"
#include "proto/istatd/parser.h"
#include "proto/recording/recording_reader.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/run_instead.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kRecordText =
    "Records everything of this host into a file that other hosts can open, without a server: until Ctrl-C, "
    "or for\n"
    "as long as --for says. With - the recording goes to standard output. Without FILE it is named by the "
    "host and the\n"
    "time. Needs statmill-agent, next to statmill or in the PATH. `zcat FILE | statmill put -` sends a "
    "recording to a\n"
    "server. Series are named as the agent of this host names them. With --info, prints what a recording "
    "holds.";

// The options that become settings of the agent.
constexpr std::pair<const char*, const char*> kSettings[] = {{"for", "--record.for"},
                                                             {"interval", "--interval"},
                                                             {"collectors", "--collectors"},
                                                             {"fast", "--hindsight.fast"},
                                                             {"fast.interval", "--hindsight.fast_interval"}};

Outcome record_failure(const std::string& what) {
  return {.code = ExitCode::kFailed, .messages = "statmill: " + what + "\n"};
}

// The file of the unit statmill-agent.service.
constexpr const char* kAgentConfig = "/etc/statmill/statmill-agent.conf";
// What decides the names of series, and the variable that overrides it. The file's other settings are for the
// agent that sends.
constexpr std::pair<const char*, const char*> kNamingSettings[] = {{"agent.host", "STATMILL_AGENT_HOST"},
                                                                   {"agent.tags", "STATMILL_AGENT_TAGS"}};

// Returns the file's values of these settings as arguments of the agent.
Result<std::vector<std::string>> naming_arguments(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kIo, std::strerror(errno)};
  po::options_description options;
  for (const auto& [name, variable] : kNamingSettings) options.add_options()(name, po::value<std::string>());
  std::vector<std::string> arguments;
  try {
    po::variables_map values;
    po::store(po::parse_config_file(file, options, true), values);
    for (const auto& [name, variable] : kNamingSettings) {
      if (values.count(name) == 0 || ::getenv(variable) != nullptr) continue;
      arguments.push_back("--" + std::string(name) + "=" + values[name].as<std::string>());
    }
  } catch (const po::error& e) {  // thrown by Boost's parser
    return Error{ErrorCode::kInvalid, e.what()};
  }
  return arguments;
}

// Returns "web1-20261128T031500Z.rec.gz".
std::string file_name(int64_t unix_s) {
  char host[256] = "host";
  ::gethostname(host, sizeof(host) - 1);
  std::string time = iso_time(unix_s);
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return recording_host(host) + "-" + time + ".rec.gz";
}

// What a file says is printed only up to these limits, since the file may be hostile.
constexpr size_t kHostsMax = 16;
constexpr size_t kSeriesMax = 1'000'000;  // 40 MB

struct Info {
  std::set<std::string> hosts;
  bool has_more_hosts = false;
  Duration interval{};
  std::optional<Duration> fast;
  std::optional<Timestamp> from;
  std::optional<Timestamp> until;
  std::unordered_set<uint64_t> series;  // hashes of their names
  uint64_t lines = 0;                   // of samples

  void add(const RecordingText& block) {
    if (hosts.size() < kHostsMax) {
      hosts.insert(block.head.host);
    } else {
      has_more_hosts |= !hosts.contains(block.head.host);
    }
    interval = block.head.interval;
    fast = block.head.fast;
    for_each_moment(block.lines, [this](std::optional<Timestamp> at, std::string_view samples) {
      if (at) from = std::min(from.value_or(*at), *at);
      if (at) until = std::max(until.value_or(*at), *at);
      add_samples(samples);
    });
  }
  void add_samples(std::string_view text) {
    Batch batch;
    parse_canonical_lines(text, {}, batch);
    lines += batch.samples.size();
    for (const Sample& sample : batch.samples) {
      if (series.size() > kSeriesMax) return;
      series.insert(hash_name(sample.name));
    }
  }
  std::string text(const RecordingReader& reader) const {
    std::string names;
    for (const std::string& host : hosts) names += (names.empty() ? "" : ", ") + host;
    if (has_more_hosts) names += ", and more";
    const bool has_more_series = series.size() > kSeriesMax;
    std::vector<std::pair<std::string, std::string>> rows = {{"host", names}};
    if (from) rows.emplace_back("from", iso_time(unix_seconds(*from)));
    if (until) rows.emplace_back("until", iso_time(unix_seconds(*until)));
    rows.emplace_back("interval", std::to_string(interval.count()) + " ms");
    if (fast) rows.emplace_back("fast interval", std::to_string(fast->count()) + " ms");
    rows.emplace_back("series", has_more_series ? "more than " + std::to_string(kSeriesMax)
                                                : std::to_string(series.size()));
    rows.emplace_back("lines", std::to_string(lines));
    rows.emplace_back("bytes", std::to_string(reader.bytes()));
    rows.emplace_back("end", reader.is_complete() ? "complete" : "missing");
    return pairs_table(rows);
  }
};

Outcome print_info(const std::string& name, int input) {
  const bool is_input = name == "-";
  const Descriptor file(is_input ? -1 : ::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!is_input && !file.is_open()) return record_failure(name + ": " + std::strerror(errno));
  const int fd = is_input ? input : file.get();
  RecordingReader reader([fd](std::span<char> room) -> Result<size_t> {
    while (true) {
      const ssize_t n = ::read(fd, room.data(), room.size());
      if (n >= 0) return static_cast<size_t>(n);
      if (errno != EINTR) return Error{ErrorCode::kIo, std::strerror(errno)};
    }
  });
  Info info;
  while (true) {
    const auto block = reader.next();
    if (!block) {
      Outcome out = data_outcome(Error(block.error()).with(name));
      if (reader.bytes() > 0) out.output = info.text(reader);
      return out;
    }
    if (!block->has_value()) break;
    info.add(**block);
  }
  return {.output = info.text(reader)};
}

}  // namespace

Outcome run_record(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{
      .synopsis = "record [OPTION]... [FILE|-]", .text = kRecordText, .operands_max = 1, .peer = Peer::kNone};
  usage.options.add_options()  //
      ("for", po::value<std::string>()->value_name("TIME"), "end after this long, such as 5m")(
          "interval", po::value<std::string>()->value_name("TIME"),
          "time between two collections, 100ms..1h; by default 1s")(
          "collectors", po::value<std::string>()->value_name("LIST"),
          "default, all, or names as listed by statmill-agent --check, separated by commas")(
          "fast", po::value<std::string>()->value_name("LIST"), "collectors that are read more often")(
          "fast.interval", po::value<std::string>()->value_name("TIME"),
          "time between two collections of these; by default 100ms")(
          "config", po::value<std::string>()->value_name("FILE"),
          "the agent's settings, for agent.host and agent.tags; by default\n"
          "/etc/statmill/statmill-agent.conf, if it can be read")(
          "info", "print host, range of time, series and size of the recording FILE");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const bool has_file = !line.operands().empty();
  if (line.has("info")) {
    if (!has_file)
      return outcome_of(Error{ErrorCode::kInvalid, "--info needs FILE, or - for standard input"});
    return print_info(line.operands()[0], environment.input);
  }
  std::vector<std::string> agent = {"--record",
                                    has_file ? line.operands()[0] : file_name(unix_seconds(environment.now)),
                                    "--log.level", "warn"};
  if (line.has("config") || ::access(kAgentConfig, R_OK) == 0) {
    const std::string path = line.has("config") ? line.text("config") : kAgentConfig;
    auto naming = naming_arguments(path);
    if (!naming) return record_failure(path + ": " + naming.error().message);
    agent.insert(agent.end(), naming->begin(), naming->end());
  }
  for (const auto& [option, setting] : kSettings) {
    if (line.has(option)) agent.insert(agent.end(), {setting, line.text(option)});
  }
  return run_instead("statmill-agent", std::move(agent),
                     "which records and is in the package statmill-agent");
}

}  // namespace statmill

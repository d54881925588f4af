#include "agent/config.h"

#include <algorithm>
#include <string_view>

#include "agent/collectors/make_collectors.h"
#include "agent/delivery/outbox_settings.h"
#include "agent/gateway/gateway_settings.h"
#include "agent/recording/hindsight_settings.h"
#include "agent/relay/relay_settings.h"
#include "base/log_settings.h"
#include "base/setting_values.h"
#include "base/watchdog_settings.h"
#include "ingest/scrape/scrape_settings.h"

namespace statmill {
namespace {

constexpr std::string_view kUsage =
    "Usage: statmill-agent [OPTION]...\n"
    "Measures this host and pushes the samples to a statmill server.\n"
    "Exit status: 0 stopped, 1 failed, 2 invalid setting, 4 spool in use, 5 spool of another version,\n"
    "6 cannot listen, 7 out of memory.";

Error invalid(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + std::string(text) + "\" " + std::string(why)};
}

Status set_host(const std::string& text, std::string& host) {
  if (text.size() > kHostBytesMax) return invalid(text, "is longer than 256 bytes");
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
  if (!is_plain) return invalid(text, "must consist of a-z 0-9 . _ -");
  host = text;
  return Status::ok();
}

Status set_tags(const std::string& text, HostTags& tags) {
  auto parsed = parse_host_tags(text);
  if (!parsed) return parsed.error();
  tags = std::move(*parsed);
  return Status::ok();
}

// LIST: names, "default" and "all", separated by commas.
Status set_collectors(const std::string& text, std::vector<std::string>& collectors) {
  const std::vector<std::string_view> known = collector_names();
  std::vector<std::string_view> named;
  for (const std::string_view name : split(text, ',')) {
    const std::vector<std::string_view> meant = name == "all"       ? known
                                                : name == "default" ? default_collector_names()
                                                                    : std::vector{name};
    named.insert(named.end(), meant.begin(), meant.end());
  }
  collectors.clear();
  for (const std::string_view name : named) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return invalid(name, "is not a collector");
    if (std::find(collectors.begin(), collectors.end(), name) == collectors.end())
      collectors.emplace_back(name);
  }
  return collectors.empty() ? Status(invalid(text, "names no collector")) : Status::ok();
}

Status set_directory(const std::string& text, std::string& directory) {
  directory = text;
  return text.starts_with('/') ? Status::ok() : Status(invalid(text, "must begin with /"));
}

// Without a slash at the end, since the path of a mount follows.
Status set_root(std::string text, std::string& root) {
  if (!text.empty() && !text.starts_with('/')) return invalid(text, "must begin with /");
  while (text.ends_with('/')) text.pop_back();
  root = std::move(text);
  return Status::ok();
}

Error needs(std::string_view setting, std::string_view what) {
  return {ErrorCode::kInvalid, std::string(setting) + " needs " + std::string(what)};
}

// Refuses settings that would have no effect. One with its default looks like one that is absent.
Status check_recordings(const AgentConfig& config) {
  const HindsightOptions& hindsight = config.hindsight;
  const HindsightOptions defaults;
  const bool records = config.record.is_on();
  if (hindsight.is_on() && records)
    return Error{ErrorCode::kInvalid, "hindsight and record exclude each other: a recorder keeps no past"};
  if (!hindsight.when.empty() && !hindsight.is_on())
    return needs("hindsight.when", "hindsight, which says how much of the past is kept");
  if (!hindsight.directory.empty() && !hindsight.is_on())
    return needs("hindsight.directory", "hindsight, which writes files there");
  if (hindsight.files != defaults.files && !hindsight.is_on())
    return needs("hindsight.files", "hindsight, which writes these files");
  if (!hindsight.fast.empty() && !hindsight.is_on() && !records)
    return needs("hindsight.fast", "hindsight or record, which read these collectors more often");
  if (config.record.length > Duration(0) && !records)
    return needs("record.for", "record, which names the file");
  for (const Trigger& trigger : hindsight.when) {
    if (Status read = trigger.check_collectors(config.collectors); !read)
      return Error(read.error()).with("hindsight.when");
  }
  return Status::ok();
}

}  // namespace

std::vector<Setting> agent_settings(AgentConfig& config) {
  const std::vector<Setting> own = {
      {"interval", "TIME", "1s", "time between collections, 100ms..1h",
       duration_setting(config.interval, std::chrono::milliseconds(100), std::chrono::hours(1))},
      {"agent.host", "NAME", "", "tag `host` of every series; default: the fully qualified name of this host",
       [&](const std::string& text) { return set_host(text, config.host); }},
      {"agent.tags", "LIST", "", "further tags of every series, as dc=eu,role=web",
       [&](const std::string& text) { return set_tags(text, config.tags); }},
      {"collectors", "LIST", "default", "default, all, or names as listed by --check, separated by commas",
       [&](const std::string& text) { return set_collectors(text, config.collectors); }},
      {"hindsight.fast", "LIST", "",
       "collectors that --hindsight and --record read at --hindsight.fast_interval, as in --collectors",
       [&](const std::string& text) {
         return text.empty() ? Status::ok() : set_collectors(text, config.hindsight.fast);
       }},
      {"programs.dir", "DIRECTORY", "/run/statmill", "directory where programs share their counters",
       [&](const std::string& text) { return set_directory(text, config.programs_directory); }},
      {"processes.max", "N", "10000", "processes that are read every 10 s, 100..100000",
       count_setting(config.processes_max, 100, 100'000)},
      {"processes.programs", "N", "20",
       "programs with series of their own, by CPU time and by memory each, 0..200",
       count_setting(config.processes_programs, 0, 200)},
      {"filesystem.root", "DIRECTORY", "",
       "where the root directory of the host is mounted, for an agent in a container",
       [&](const std::string& text) { return set_root(text, config.filesystem_root); }},
      {"scrape.series", "N", "100000",
       "counters of scraped targets that are remembered; samples of further ones are refused",
       count_setting(config.scrape_series, 1, 10'000'000)},
      {"http.listen", "A:P", "",
       "HTTP address of /metrics and /hindsight for the agent, its relay and this host; empty: off",
       endpoint_setting(config.http_listen)},
      {"once", "", "false",
       "collect twice, one interval apart, print the lines of the second collection, exit",
       flag_setting(config.once)},
      {"check", "", "false", "print what each collector reads, whether that works and what it costs, exit",
       flag_setting(config.check)},
      {"series", "", "false", "print a table of all series with their units and meanings, exit",
       flag_setting(config.series)},
  };
  return joined({outbox_settings(config.outbox), own, hindsight_settings(config.hindsight, config.record),
                 relay_settings(config.relay), gateway_settings(config.gateway),
                 scrape_settings(config.scrape), watchdog_settings(config.watchdog),
                 log_settings(config.log)});
}

Result<AgentCommand> parse_agent_command(const SettingsInput& input) {
  AgentCommand command;
  const std::vector<Setting> settings = agent_settings(command.config);
  const Result<SettingsAction> action = apply_settings(settings, input);
  if (!action) return action.error();
  if (command.config.outbox.servers.empty()) command.config.outbox.servers = {{"127.0.0.1", kAgentPort}};
  if (Status fits = check_recordings(command.config); !fits) return fits.error();
  command.action = *action;
  command.unknown_variables = unknown_variables(settings, input);
  return command;
}

std::string agent_help() {
  AgentConfig config;
  return settings_help(kUsage, agent_settings(config));
}

}  // namespace statmill

// See relay_settings.h.
#include "agent/relay/relay_settings.h"

#include <memory>

#include "base/setting_values.h"

namespace statmill {
namespace {

// An empty text: off.
SettingTaker take_line_endpoint(Endpoint& out) {
  return [&out](const std::string& text) -> Status {
    std::optional<Endpoint> endpoint;
    if (Status taken = take_endpoint(endpoint)(text); !taken) return taken;
    out = endpoint.value_or(Endpoint{});
    return Status::ok();
  };
}

// Both halves of what is added to names are parsed whenever one of them comes.
struct NameTexts {
  std::string tags;
  std::string carets;
};

SettingTaker take_names(HostNames& out, const std::shared_ptr<NameTexts>& texts,
                        std::string NameTexts::*part) {
  return [&out, texts, part](const std::string& text) -> Status {
    texts.get()->*part = text;
    auto names = HostNames::parse(texts->tags, texts->carets);
    if (!names) {
      (texts.get()->*part).clear();  // the other half is not to blame for it
      return names.error();
    }
    out = std::move(*names);
    return Status::ok();
  };
}

std::vector<Setting> port_settings(RelayOptions& o) {
  const Duration year = std::chrono::hours(24 * 365);
  return {
      {"line.listen", "A:P", "", "relay: line protocol of this host's programs, UDP and TCP. When empty, off",
       take_line_endpoint(o.line.listen)},
      {"line.connections", "N", "10000", "TCP senders at once, of all ports; more are closed",
       take_count(o.line.connections_max, 1, 1'000'000)},
      {"line.idle_timeout", "TIME", "10m", "TCP senders silent for so long are closed; 0s: none",
       take_duration(o.line.idle_timeout, Duration(0), year)},
      {"line.udp_buffer", "BYTES", "32M", "datagrams that the kernel may keep for a thread of each port",
       take_bytes(o.line.udp_buffer_bytes, 4096)},
      {"line.socket", "PATH", "",
       "relay: unix socket for datagrams of lines, open to this host's users. When empty, off",
       take_text(o.line.socket_path)},
      {"graphite.listen", "A:P", "", "relay: Graphite's plaintext, UDP and TCP. When empty, off",
       take_endpoint(o.graphite_listen)},
      {"statsd.listen", "A:P", "", "relay: statsd and DogStatsD, UDP and TCP. When empty, off",
       take_endpoint(o.statsd_listen)},
      {"statsd.gauges", "N", "100000", "gauges whose last value is known, for steps (+1, -1)",
       take_count(o.statsd.gauges_max, 0, 1'000'000'000)},
      {"statsd.gauge_expiry", "TIME", "24h", "gauges silent for longer are unknown again; 0s: never",
       take_duration(o.statsd.gauge_expiry, Duration(0), year)},
      {"statsd.sets", "N", "10000", "sets counted at once; members of others are refused",
       take_count(o.statsd.sets_max, 0, 1'000'000'000)},
  };
}

}  // namespace

std::vector<Setting> relay_settings(RelayOptions& o) {
  std::vector<Setting> settings = port_settings(o);
  const auto texts = std::make_shared<NameTexts>();
  const std::vector<Setting> rest = {
      {"relay.threads", "N", "1", "threads of each port", take_count(o.line.threads, 1, 64)},
      {"relay.aggregate", "TIME", "1s",
       "samples of a series and second are added up for so long, 0s..60s; 0s: each is passed on",
       take_duration(o.sink.aggregate, Duration(0), std::chrono::seconds(60))},
      {"relay.bytes", "BYTES", "16M", "RAM for samples on their way; beyond they are refused",
       take_bytes(o.sink.bytes_max, 1 << 20)},
      {"relay.tags", "LIST", "", "tags added to each name, dc=eu,rack=r1; a sample's own go before",
       take_names(o.sink.names, texts, &NameTexts::tags)},
      {"relay.caret", "PARTS", "",
       "parts that each name fans out to, host.web1^cluster.a; with a caret at the end the name itself too",
       take_names(o.sink.names, texts, &NameTexts::carets)},
  };
  settings.insert(settings.end(), rest.begin(), rest.end());
  return settings;
}

}  // namespace statmill

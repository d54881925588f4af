#include "agent/relay/relay_settings.h"

#include <memory>

#include "base/setting_values.h"
#include "ingest/line_settings.h"

namespace statmill {
namespace {

// An empty text switches the port off.
SettingParser line_endpoint_parser(Endpoint& out) {
  return [&out](const std::string& text) -> Status {
    std::optional<Endpoint> endpoint;
    if (Status parsed = endpoint_setting(endpoint)(text); !parsed) return parsed;
    out = endpoint.value_or(Endpoint{});
    return Status::ok();
  };
}

// Both texts are parsed together whenever one of them is set.
struct NameTexts {
  std::string tags;
  std::string carets;
};

SettingParser names_parser(HostNames& out, const std::shared_ptr<NameTexts>& texts,
                           std::string NameTexts::*part) {
  return [&out, texts, part](const std::string& text) -> Status {
    texts.get()->*part = text;
    auto names = HostNames::parse(texts->tags, texts->carets);
    if (!names) {
      (texts.get()->*part).clear();  // so that the other text is not refused because of it
      return names.error();
    }
    out = std::move(*names);
    return Status::ok();
  };
}

std::vector<Setting> port_settings(RelayOptions& o) {
  const std::vector<Setting> line = {
      {"line.listen", "A:P", "",
       "relay: address for line protocol from this host's programs, UDP and TCP; empty: off",
       line_endpoint_parser(o.line.listen)}};
  const std::vector<Setting> others = {
      {"line.socket", "PATH", "",
       "relay: unix socket for datagrams of lines, open to this host's users; empty: off",
       text_setting(o.line.socket_path)},
      {"graphite.listen", "A:P", "",
       "relay: address for Graphite's plaintext protocol, UDP and TCP; empty: off",
       endpoint_setting(o.graphite_listen)},
      {"statsd.listen", "A:P", "", "relay: address for statsd and DogStatsD, UDP and TCP; empty: off",
       endpoint_setting(o.statsd_listen)}};
  return joined({line, line_limit_settings(o.line), others, pickle_settings(o.pickle),
                 statsd_socket_settings(o.statsd_sockets), statsd_limit_settings(o.statsd)});
}

}  // namespace

std::vector<Setting> relay_settings(RelayOptions& o) {
  const auto texts = std::make_shared<NameTexts>();
  const std::vector<Setting> rest = {
      {"relay.threads", "N", "1", "threads per port", count_setting(o.line.threads, 1, 64)},
      {"relay.aggregate", "TIME", "1s",
       "how long samples of the same series and second are added up, 0s..60s; 0s: never",
       duration_setting(o.sink.aggregate, Duration(0), std::chrono::seconds(60))},
      {"relay.bytes", "BYTES", "16M", "memory for waiting samples; above it samples are refused",
       bytes_setting(o.sink.bytes_max, 1 << 20)},
      {"relay.tags", "LIST", "", "tags added to each name, as dc=eu,rack=r1; a sample's own tags win",
       names_parser(o.sink.names, texts, &NameTexts::tags)},
      {"relay.caret", "PARTS", "",
       "parts that each name fans out to, as host.web1^cluster.a; a final caret keeps the name itself, too",
       names_parser(o.sink.names, texts, &NameTexts::carets)},
  };
  return joined({port_settings(o), rest});
}

}  // namespace statmill

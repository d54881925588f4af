#include "agent/relay/relay_settings.h"

#include <memory>

#include "base/setting_values.h"
#include "ingest/line_settings.h"

namespace statmill {
namespace {

// An empty text: off.
SettingParser take_line_endpoint(Endpoint& out) {
  return [&out](const std::string& text) -> Status {
    std::optional<Endpoint> endpoint;
    if (Status taken = endpoint_setting(endpoint)(text); !taken) return taken;
    out = endpoint.value_or(Endpoint{});
    return Status::ok();
  };
}

// Both halves of what is added to names are parsed whenever one of them comes.
struct NameTexts {
  std::string tags;
  std::string carets;
};

SettingParser take_names(HostNames& out, const std::shared_ptr<NameTexts>& texts,
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
  const std::vector<Setting> line = {
      {"line.listen", "A:P", "", "relay: line protocol of this host's programs, UDP and TCP. When empty, off",
       take_line_endpoint(o.line.listen)}};
  const std::vector<Setting> others = {
      {"line.socket", "PATH", "",
       "relay: unix socket for datagrams of lines, open to this host's users. When empty, off",
       text_setting(o.line.socket_path)},
      {"graphite.listen", "A:P", "", "relay: Graphite's plaintext, UDP and TCP. When empty, off",
       endpoint_setting(o.graphite_listen)},
      {"statsd.listen", "A:P", "", "relay: statsd and DogStatsD, UDP and TCP. When empty, off",
       endpoint_setting(o.statsd_listen)}};
  return joined({line, line_limit_settings(o.line), others, statsd_limit_settings(o.statsd)});
}

}  // namespace

std::vector<Setting> relay_settings(RelayOptions& o) {
  const auto texts = std::make_shared<NameTexts>();
  const std::vector<Setting> rest = {
      {"relay.threads", "N", "1", "threads of each port", count_setting(o.line.threads, 1, 64)},
      {"relay.aggregate", "TIME", "1s",
       "samples of a series and second are added up for so long, 0s..60s; 0s: each is passed on",
       duration_setting(o.sink.aggregate, Duration(0), std::chrono::seconds(60))},
      {"relay.bytes", "BYTES", "16M", "RAM for samples on their way; beyond they are refused",
       bytes_setting(o.sink.bytes_max, 1 << 20)},
      {"relay.tags", "LIST", "", "tags added to each name, dc=eu,rack=r1; a sample's own go before",
       take_names(o.sink.names, texts, &NameTexts::tags)},
      {"relay.caret", "PARTS", "",
       "parts that each name fans out to, host.web1^cluster.a; with a caret at the end the name itself too",
       take_names(o.sink.names, texts, &NameTexts::carets)},
  };
  return joined({port_settings(o), rest});
}

}  // namespace statmill

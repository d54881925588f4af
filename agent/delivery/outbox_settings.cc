#include "agent/delivery/outbox_settings.h"

#include <algorithm>

#include "base/setting_values.h"

namespace statmill {
namespace {

constexpr uint64_t kSpoolBytesMin = uint64_t{16} << 20;
constexpr uint64_t kQueueBytesMin = uint64_t{1} << 20;
constexpr uint64_t kQueueBytesMax = uint64_t{1} << 30;
constexpr size_t kServersMax = 8;

Error invalid(const std::string& text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + text + "\" " + std::string(why)};
}

SettingParser take_server(std::vector<Endpoint>& servers) {
  return [&servers](const std::string& text) -> Status {
    const auto endpoint = parse_endpoint(text);
    if (!endpoint) return endpoint.error();
    if (endpoint->port == 0) return invalid(text, "has port 0");
    const auto is_same = [&](const Endpoint& server) { return server.text() == endpoint->text(); };
    if (std::any_of(servers.begin(), servers.end(), is_same)) return invalid(text, "is given twice");
    if (servers.size() == kServersMax) return invalid(text, "is one server too many: 8 at most");
    servers.push_back(*endpoint);
    return Status::ok();
  };
}

}  // namespace

std::vector<Setting> outbox_settings(OutboxOptions& options) {
  return {
      {"server", "HOST:PORT", "",
       "the agent port of a statmill server; repeated, each gets everything; 127.0.0.1:8113 if not given",
       take_server(options.servers), true},
      {"server.token_file", "FILE", "", "its first line is what the servers ask for",
       text_setting(options.token_file)},
      {"server.tls", "", "false", "speak TLS, and believe only a certificate for the host of --server",
       flag_setting(options.uses_tls)},
      {"server.authority", "FILE", "", "certificates to believe, PEM; the system's when empty",
       text_setting(options.authority_file)},
      {"server.name", "NAME", "", "whom the certificate must be for, if not the host of --server",
       text_setting(options.tls_name)},
      {"server.plain", "", "false", "without TLS beyond the loopback, too",
       flag_setting(options.allows_plain)},
      {"spool.path", "DIR", "", "where batches wait until the servers have them; in memory when empty",
       text_setting(options.spool_path)},
      {"spool.bytes", "SIZE", "1G", "of that directory, 16M and more; the oldest are dropped beyond",
       bytes_setting(options.spool_bytes, kSpoolBytesMin, uint64_t{1} << 50)},
      {"queue.bytes", "SIZE", "4M", "the same in memory, also while the disk of --spool.path hangs, 1M..1G",
       bytes_setting(options.queue_bytes, kQueueBytesMin, kQueueBytesMax)},
  };
}

}  // namespace statmill

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

SettingParser servers_parser(std::vector<Endpoint>& servers) {
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
       "agent port of a statmill server; may be repeated: each server gets all lines; default 127.0.0.1:8113",
       servers_parser(options.servers), true},
      {"server.token_file", "FILE", "", "file whose first line is the token that the servers require",
       text_setting(options.token_file)},
      {"server.tls", "", "false", "use TLS, and accept only a certificate for the host of --server",
       flag_setting(options.uses_tls)},
      {"server.authority", "FILE", "", "trusted CA certificates, PEM; if empty, the system's",
       text_setting(options.authority_file)},
      {"server.name", "NAME", "", "name that the certificate must have, if not the host of --server",
       text_setting(options.tls_name)},
      {"server.plain", "", "false", "allow connections without TLS outside the loopback, too",
       flag_setting(options.allows_plain)},
      {"spool.path", "DIR", "",
       "directory where batches wait until the servers have them; if empty, in memory",
       text_setting(options.spool_path)},
      {"spool.bytes", "SIZE", "1G",
       "size limit of that directory, at least 16M; above it the oldest batches are dropped",
       bytes_setting(options.spool_bytes, kSpoolBytesMin, uint64_t{1} << 50)},
      {"spool.keep", "DURATION", "15m",
       "how long batches stay there after all servers have them, for a server that is restored from a "
       "backup, 0s..7d",
       duration_setting(options.spool_keep, Duration(0), std::chrono::days(7))},
      {"spool.keep_bytes", "SIZE", "64M",
       "the most bytes of such batches; at most half of --spool.bytes is kept",
       bytes_setting(options.spool_keep_bytes, 0, uint64_t{1} << 50)},
      {"queue.bytes", "SIZE", "4M",
       "the same limit in memory, also while the disk of --spool.path hangs, 1M..1G",
       bytes_setting(options.queue_bytes, kQueueBytesMin, kQueueBytesMax)},
  };
}

}  // namespace statmill

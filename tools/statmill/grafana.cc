#include <algorithm>
#include <filesystem>
#include <optional>

#include "storage/files/files.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/grafana/dashboard.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::string_view kGrafanaText =
    "Writes data sources and dashboards into Grafana's directory of provisioning files, which is usually\n"
    "/etc/grafana/provisioning: the fleet, a host, programs, and the server itself. Grafana reads them when "
    "it\n"
    "starts. The files of an earlier run are replaced. Nothing is sent to the server or to Grafana.";

constexpr std::string_view kUrlMessage =
    "the URL of the server, as Grafana reaches it; by default STATMILL_URL or http://127.0.0.1:8112";

// Quotes a text for YAML; in Grafana's files, `$$` is a `$` and no variable of the environment.
std::string yaml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out += '"';
}

constexpr std::string_view kSourceHead = R"(# Written by `statmill grafana provision`.
apiVersion: 1
datasources:
  - name: statmill
    uid: statmill
    type: prometheus
    access: proxy
    url: )";

constexpr std::string_view kSourceOptions = R"(
    jsonData:
      httpMethod: POST
      timeInterval: 10s  # the finest slots
)";

constexpr std::string_view kGraphiteHead = R"(  - name: statmill-graphite
    uid: statmill-graphite
    type: graphite
    access: proxy
    url: )";

constexpr std::string_view kGraphiteOptions = R"(
    jsonData:
      graphiteVersion: "1.1"
)";

constexpr std::string_view kSourceToken = R"(      httpHeaderName1: Authorization
    secureJsonData:
      httpHeaderValue1: Bearer $STATMILL_TOKEN  # from the environment of Grafana
)";

constexpr std::string_view kProviderHead = R"(# Written by `statmill grafana provision`.
apiVersion: 1
providers:
  - name: statmill
    folder: statmill
    type: file
    options:
      path: )";

std::string source_yaml(std::string url, bool has_token) {
  while (url.ends_with('/')) url.pop_back();
  std::string out(kSourceHead);
  const std::string_view token = has_token ? kSourceToken : "";
  out.append(yaml_text(url + "/prometheus")).append(kSourceOptions).append(token);
  out.append(kGraphiteHead).append(yaml_text(url + "/graphite")).append(kGraphiteOptions);
  return out.append(token);
}

std::string provider_yaml(const fs::path& dashboards) {
  return std::string(kProviderHead) + yaml_text(dashboards.string()) + "\n";
}

Status write_file(const fs::path& path, const std::string& content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return Error{ErrorCode::kIo, "create " + path.parent_path().string() + ": " + error.message()};
  return write_whole_file(path, content);
}

Outcome provision(const std::string& directory, const std::string& url, bool has_token) {
  std::error_code error;
  const fs::path root = fs::absolute(directory, error);
  const fs::path dashboards = root / "dashboards" / "statmill";
  std::vector<std::pair<fs::path, std::string>> files = {
      {root / "datasources" / "statmill.yaml", source_yaml(url, has_token)},
      {root / "dashboards" / "statmill.yaml", provider_yaml(dashboards)}};
  for (const GrafanaDashboard& dashboard :
       {fleet_dashboard(), host_dashboard(), programs_dashboard(), server_dashboard()})
    files.emplace_back(dashboards / (std::string(dashboard.uid) + ".json"), dashboard_json(dashboard));
  Outcome out;
  for (const auto& [path, content] : files) {
    if (Status written = write_file(path, content); !written) return outcome_of(written.error());
    out.output += path.string() + "\n";
  }
  out.messages = "statmill: Grafana reads these files when it starts: systemctl restart grafana-server\n";
  return out;
}

bool is_url(std::string_view text) {
  return (text.starts_with("http://") || text.starts_with("https://")) &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}

}  // namespace

Outcome run_grafana(std::span<const std::string> arguments, const Environment& environment) {
  Usage usage{.synopsis = "grafana provision [OPTION]... DIRECTORY",
              .text = kGrafanaText,
              .operands_min = 2,
              .operands_max = 2,
              .peer = Peer::kNone};
  usage.options.add_options()                                                   //
      ("url", po::value<std::string>()->value_name("URL"), kUrlMessage.data())  //
      ("token", "Grafana sends the token that STATMILL_TOKEN has in its environment");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  if (line.operands()[0] != "provision")
    return {.code = ExitCode::kUsage,
            .messages = "statmill grafana: unknown command \"" + line.operands()[0] +
                        "\"; there is only provision\n"};
  const std::string url = line.has("url") ? line.text("url") : environment.default_server;
  if (!is_url(url))
    return {.code = ExitCode::kUsage,
            .messages = "statmill grafana: \"" + url + "\" is not a URL such as http://127.0.0.1:8112\n"};
  return provision(line.operands()[1], url, line.has("token"));
}

}  // namespace statmill

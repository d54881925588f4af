#include "server/config_check.h"

#include <string>

#include "base/program.h"
#include "base/token_file.h"
#include "server/http/access.h"
#include "server/rules/rule_files.h"

namespace statmill {

std::optional<Fault> check_config(const ServerConfig& config) {
  std::string faults;
  const auto check = [&faults](const Status& status) {
    if (!status) faults += (faults.empty() ? "" : "\n") + status.error().message;
  };
  const auto check_tls = [&check](const char* setting, const TlsFiles& files) {
    const Status loaded = ServerTls(setting, files).load();
    check(loaded ? loaded
                 : Status(Error(loaded.error()).with(std::string(setting) + ".certificate and key")));
  };
  check_tls("line", config.line.tls);
  check_tls("http", config.http_tls);
  check_tls("agent", config.agent.tls);
  check(TokenFile("agent.token_file", config.agent.token_file).load());
  if (!config.http_tokens.empty()) {
    const Result<Access> access = Access::from_file(config.http_tokens);
    check(access ? Status::ok() : Status(access.error()));
  }
  for (const std::string& folder : config.rules.folders) {
    const auto files = rules::rule_files_in(folder);
    check(files ? Status::ok() : Status(files.error()));
    for (const std::string& file : files ? *files : std::vector<std::string>()) {
      const auto groups = rules::read_rule_file(file, config.rules);
      check(groups ? Status::ok() : Status(groups.error()));
    }
  }
  if (!faults.empty()) return Fault{ExitCode::kUsage, {ErrorCode::kInvalid, faults}};
  return print("statmilld: the settings are valid\n");
}

}  // namespace statmill

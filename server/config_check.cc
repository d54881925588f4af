#include "server/config_check.h"

#include <string>

#include "base/program.h"
#include "base/token_file.h"
#include "server/http/access.h"

namespace statmill {

std::optional<Fault> check_config(const ServerConfig& config) {
  std::string faults;
  const auto check = [&faults](const Status& status) {
    if (!status) faults += (faults.empty() ? "" : "\n") + status.error().message;
  };
  check(ServerTls("line", config.line.tls).load());
  check(ServerTls("http", config.http_tls).load());
  check(ServerTls("agent", config.agent.tls).load());
  check(TokenFile("agent.token_file", config.agent.token_file).load());
  if (!config.http_tokens.empty()) {
    const Result<Access> access = Access::from_file(config.http_tokens);
    check(access ? Status::ok() : Status(access.error()));
  }
  if (!faults.empty()) return Fault{ExitCode::kUsage, {ErrorCode::kInvalid, faults}};
  return print("statmilld: the settings are valid\n");
}

}  // namespace statmill

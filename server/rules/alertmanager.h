// Where Alertmanagers are, and what is posted to them (github.com/prometheus/alertmanager, API v2).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "server/rules/group_run.h"

namespace statmill::rules {

struct AlertmanagerAddress {
  bool uses_tls = false;
  std::string host;  // without brackets
  std::string port;
  std::string path;  // of the API: "/api/v2/alerts", perhaps with a prefix

  std::string authority() const;  // host:port, for the field Host
};

// Parses http://HOST:PORT/PREFIX or https://...; the port is 9093 unless it is given. Errors: kInvalid.
Result<AlertmanagerAddress> parse_alertmanager(std::string_view url);

// One element of the list that is posted. `page`: the URL of this server's page; empty: unknown.
std::string alert_json(const SentAlert& alert, std::string_view page);
// "2026-11-20T19:03:20.125Z".
std::string api_time(Timestamp time);

}  // namespace statmill::rules

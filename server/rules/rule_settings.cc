#include "server/rules/rule_settings.h"

#include <algorithm>
#include <utility>

#include "base/setting_values.h"
#include "server/rules/alertmanager.h"

namespace statmill {
namespace {

Status add_label(RuleOptions& options, const std::string& text) {
  const size_t assign = text.find('=');
  if (assign == 0 || assign == std::string::npos || assign + 1 == text.size())
    return Error{ErrorCode::kInvalid, "\"" + text + "\" is not NAME=VALUE"};
  std::string name = text.substr(0, assign);
  const auto has_name = [&](const auto& label) { return label.first == name; };
  if (std::ranges::any_of(options.labels, has_name))
    return Error{ErrorCode::kInvalid, "the label " + name + " is given twice"};
  options.labels.emplace_back(std::move(name), text.substr(assign + 1));
  return Status::ok();
}

}  // namespace

std::vector<Setting> rule_settings(RuleOptions& o) {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  Setting folders{"rules", "DIR", "",
                  "evaluate the rule files in this folder (*.yml, *.yaml, *.rules, in Prometheus' form)",
                  [&o](const std::string& text) -> Status {
                    if (text.empty()) return Error{ErrorCode::kInvalid, "the name of a folder is empty"};
                    o.folders.push_back(text);
                    return Status::ok();
                  }};
  Setting labels{"rules.label", "NAME=VALUE", "", "a label of all alerts that are sent, such as the site",
                 [&o](const std::string& text) { return add_label(o, text); }};
  Setting alertmanagers{"rules.alertmanager", "URL", "",
                        "send alerts to this Alertmanager, such as http://alerts.example.org:9093",
                        [&o](const std::string& text) -> Status {
                          if (auto url = rules::parse_alertmanager(text); !url) return url.error();
                          o.alertmanagers.push_back(text);
                          return Status::ok();
                        }};
  folders.is_list = labels.is_list = alertmanagers.is_list = true;
  return {std::move(folders),
          {"rules.interval", "TIME", "1m", "how often a group is evaluated that says no interval",
           duration_setting(o.interval, seconds(1), hours(24))},
          {"rules.query_offset", "TIME", "5s",
           "how long a group waits for samples to arrive, if it says no query_offset",
           duration_setting(o.query_offset, Duration(0), hours(1))},
          {"rules.alerts", "N", "10000", "active alerts of all rules; a rule that needs more fails",
           count_setting(o.alerts_max, 1, 1'000'000)},
          std::move(labels),
          std::move(alertmanagers),
          {"rules.resend", "TIME", "1m", "how often an alert that goes on to fire is sent again",
           duration_setting(o.resend, seconds(1), hours(24))},
          {"rules.url", "URL", "", "where people reach the page of this server, for links in alerts",
           text_setting(o.url)},
          {"rules.authority", "FILE", "",
           "certificates to trust for https Alertmanagers, PEM; empty: those of the system",
           text_setting(o.authority)}};
}

}  // namespace statmill

#include "server/rules/alertmanager.h"

#include <array>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <cstdio>

#include "base/text.h"
#include "base/time_text.h"
#include "server/json.h"
#include "server/rules/label_json.h"
#include "server/rules/template_texts.h"

namespace statmill::rules {
namespace {

// The page shows the expression: its links have it in the fragment (web/src/state/url.js).
std::string link_of(std::string_view page, std::string_view expression) {
  std::string out(page.substr(0, page.find_last_not_of('/') + 1));
  return out + "/#/explore?p0.e=" + escaped_url(expression);
}

}  // namespace

std::string AlertmanagerAddress::authority() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

Result<AlertmanagerAddress> parse_alertmanager(std::string_view text) {
  const auto fault = [&] {
    return Error{
        ErrorCode::kInvalid,
        "\"" + std::string(text) + "\" is not the URL of an Alertmanager, such as http://127.0.0.1:9093"};
  };
  const auto url = boost::urls::parse_uri({text.data(), text.size()});
  if (!url || url->has_userinfo() || url->has_query() || url->has_fragment()) return fault();
  if (url->scheme() != "http" && url->scheme() != "https") return fault();
  AlertmanagerAddress out;
  out.uses_tls = url->scheme() == "https";
  out.host = std::string(url->host_address());
  out.port = url->has_port() && !url->port().empty() ? std::string(url->port()) : "9093";
  if (out.host.empty() || !parse_integer(out.port, 1, 65535)) return fault();
  out.path = std::string(url->encoded_path());
  while (out.path.ends_with('/')) out.path.pop_back();
  out.path += "/api/v2/alerts";
  return out;
}

std::string api_time(Timestamp time) {
  const int64_t ms = time.time_since_epoch().count();
  const int64_t second = unix_seconds(time);
  std::string out = iso_time(second);
  if (const int64_t rest = ms - second * 1000; rest > 0) {
    std::array<char, 8> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>(rest));
    out.insert(out.size() - 1, fraction.data());
  }
  return out;
}

std::string alert_json(const SentAlert& alert, std::string_view page) {
  std::string out;
  JsonObject object(out);
  append_labels(object.key("labels"), alert.labels);
  append_labels(object.key("annotations"), alert.annotations);
  object.text("startsAt", api_time(alert.starts_at));
  object.text("endsAt", api_time(alert.ends_at));
  if (!page.empty()) object.text("generatorURL", link_of(page, alert.expression));
  return out;
}

}  // namespace statmill::rules

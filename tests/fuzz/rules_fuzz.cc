// Reads any bytes as a rule file, as a template, which is then expanded, or as the body of a stored alert: by
// the first byte. What is read keeps its limits, and an alert that is stored again is the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/rules/alert_row.h"
#include "server/rules/rule_parser.h"
#include "server/rules/template_parser.h"
#include "server/rules/template_run.h"

namespace {

using namespace statmill;
using namespace statmill::rules;

Result<std::vector<TemplateSample>> answer(std::string_view query) {
  if (query.empty()) return Error{ErrorCode::kInvalid, "no query"};
  return std::vector<TemplateSample>{{{{"host", std::string(query)}}, 1}, {{{"host", "b"}}, 2.5}};
}

void expand(std::string_view text) {
  const auto tree = parse_template(text);
  if (!tree) {
    SM_CHECK(tree.error().message.find("template") != std::string::npos);
    return;
  }
  const TemplateData data{{{"job", "a"}, {"instance", "b:1"}}, {{"site", "eu"}}, "http://a", 1234.5};
  const auto out = expand_template(*tree, data, {answer, "http://a"});
  SM_CHECK(!out || out->size() <= kTemplateTextBytesMax + kTemplateBytesMax);
}

void read_rules(std::string_view text) {
  const auto groups = parse_rules(text, "file", {});
  if (!groups) return;
  for (const RuleGroup& group : *groups) {
    SM_CHECK(!group.name.empty() && group.interval >= std::chrono::seconds(1));
    for (const Rule& rule : group.rules) {
      SM_CHECK(!rule.name.empty() && !rule.expression.empty());
      SM_CHECK(rule_id(group, rule, 0).size() == 16);
    }
  }
}

void read_alert(std::string_view body) {
  const DocumentRow row{alert_key(std::string(16, 'r'), {}), {}, std::string(body)};
  const auto alert = alert_of(row);
  if (!alert) return;
  const DocumentRow again = alert_row(std::string(16, 'r'), alert->first, alert->second, {});
  const auto same = alert_of(again);
  SM_CHECK(same && same->second.state == alert->second.state &&
           same->second.active_at == alert->second.active_at);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 't') expand(text);
  if (data[0] == 'r') read_rules(text);
  if (data[0] == 'a') read_alert(text);
  return 0;
}

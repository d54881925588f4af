#include "server/rules/alert_row.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/hash.h"
#include "server/json.h"
#include "server/promql/literals.h"
#include "server/rules/label_json.h"

namespace statmill::rules {
namespace {

constexpr size_t kHashBytes = 16;

void append_hash(std::string& out, std::string_view text) {
  const Hash128 hash = hash_name(text, 0);
  for (const uint64_t part : {hash.low, hash.high}) {
    for (unsigned shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(part >> shift & 0xffU));
  }
}

// The length first, so that no two lists of texts are alike.
void append_sized(std::string& out, std::string_view text) {
  out.append(std::to_string(text.size())).append(":").append(text);
}

// Returns nullopt if it is no object of texts.
std::optional<LabelMap> map_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_object()) return std::nullopt;
  LabelMap out;
  for (const auto& [name, text] : value->get_object()) {
    if (!text.is_string()) return std::nullopt;
    out.emplace(std::string(name), std::string(text.get_string()));
  }
  return out;
}

std::optional<std::string> text_at(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

int64_t ms(Timestamp time) { return time.time_since_epoch().count(); }

std::optional<Timestamp> time_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  const auto* number = value != nullptr ? value->if_int64() : nullptr;
  if (number == nullptr) return std::nullopt;
  return Timestamp(Duration(*number));
}

std::optional<Alert::State> state_of(std::string_view text) {
  for (const auto state : {Alert::State::kPending, Alert::State::kFiring, Alert::State::kResolved}) {
    if (text == state_text(state)) return state;
  }
  return std::nullopt;
}

}  // namespace

std::string rule_id(const RuleGroup& group, const Rule& rule, size_t same_before) {
  std::string text;
  append_sized(text, group.file);
  append_sized(text, group.name);
  append_sized(text, rule.name);
  for (const RuleText& label : rule.labels) {
    append_sized(text, label.name);
    append_sized(text, label.text);
  }
  text += std::to_string(same_before);
  std::string out;
  append_hash(out, text);
  return out;
}

DocumentKey alert_key(const std::string& rule_id, const LabelMap& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    append_sized(text, name);
    append_sized(text, value);
  }
  DocumentKey key{DocumentKind::kAlert, rule_id};
  append_hash(key.id, text);
  return key;
}

std::string rule_id_of(const DocumentKey& key) { return key.id.substr(0, kHashBytes); }

DocumentRow alert_row(const std::string& rule_id, const LabelMap& labels, const Alert& alert, Timestamp now) {
  DocumentRow row{alert_key(rule_id, labels), now, {}};
  JsonObject object(row.body);
  append_labels(object.key("labels"), labels);
  append_labels(object.key("annotations"), alert.annotations);
  object.text("value", text_of(TemplateValue(alert.value)));
  object.text("state", state_text(alert.state));
  object.key("active_at") += std::to_string(ms(alert.active_at));
  object.key("fired_at") += std::to_string(ms(alert.fired_at));
  object.key("resolved_at") += std::to_string(ms(alert.resolved_at));
  object.key("keep_firing_since") += std::to_string(ms(alert.keep_firing_since));
  return row;
}

std::optional<std::pair<LabelMap, Alert>> alert_of(const DocumentRow& row) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(row.body, error);
  const auto* object = value.if_object();
  if (error || object == nullptr || row.key.id.size() != 2 * kHashBytes) return std::nullopt;
  const auto labels = map_of(*object, "labels");
  const auto annotations = map_of(*object, "annotations");
  const auto value_text = text_at(*object, "value");
  const auto state = text_at(*object, "state");
  if (!labels || !annotations || !value_text || !state) return std::nullopt;
  const auto number = promql::parse_number(*value_text);
  const auto known = state_of(*state);
  const auto active = time_of(*object, "active_at");
  const auto fired = time_of(*object, "fired_at");
  const auto resolved = time_of(*object, "resolved_at");
  const auto keep = time_of(*object, "keep_firing_since");
  if (!number || !known || !active || !fired || !resolved || !keep) return std::nullopt;
  std::pair<LabelMap, Alert> out{*labels, {}};
  out.second.annotations = *annotations;
  out.second.value = *number;
  out.second.state = *known;
  out.second.active_at = *active;
  out.second.fired_at = *fired;
  out.second.resolved_at = *resolved;
  out.second.keep_firing_since = *keep;
  return out;
}

}  // namespace statmill::rules

// AlertRow: how an active alert is kept over a restart: a document (storage/document_row.h) for each.
//
//   id    16 bytes of the rule, 16 bytes of the alert's labels: XXH3-128 of each
//   body  {"labels":{...},"annotations":{...},"value":"60","state":"firing",
//          "active_at":MS,"fired_at":MS,"resolved_at":MS,"keep_firing_since":MS}
//
// A row is written when the state changes, so annotations and value are of that time.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "server/rules/active_alerts.h"
#include "server/rules/rule.h"
#include "storage/document_row.h"

namespace statmill::rules {

// Identifies a rule by its file, group, name and labels, so that its expression may change. `same_before`:
// how many rules before it in its group have all of these.
std::string rule_id(const RuleGroup& group, const Rule& rule, size_t same_before);

DocumentKey alert_key(const std::string& rule_id, const LabelMap& labels);
// Returns the part of the key that is rule_id().
std::string rule_id_of(const DocumentKey& key);

DocumentRow alert_row(const std::string& rule_id, const LabelMap& labels, const Alert& alert, Timestamp now);
// Returns nullopt if the body is damaged.
std::optional<std::pair<LabelMap, Alert>> alert_of(const DocumentRow& row);

}  // namespace statmill::rules

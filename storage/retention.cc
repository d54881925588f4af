#include "storage/retention.h"

#include <string>

namespace statmill {

Status Retention::add_rule(std::string_view text) {
  const std::string context = "rule \"" + std::string(text) + "\"";
  constexpr std::string_view kBlanks = " \t";
  const size_t glob_end = text.find_first_of(kBlanks);
  const size_t tiers_begin = text.find_first_not_of(kBlanks, glob_end);
  if (tiers_begin == std::string_view::npos)
    return Error{ErrorCode::kInvalid, context + ": must be GLOB TIERS, as in host.debug.* 10s:1d,5m:7d"};
  Result<Glob> glob = Glob::parse(text.substr(0, glob_end));
  if (!glob) return std::move(glob.error()).with(context);
  Result<Tiers> kept = tiers().with_retention(text.substr(tiers_begin));
  if (!kept) return std::move(kept.error()).with(context);
  if (rules_.size() == kRulesMax)
    return Error{ErrorCode::kLimit, context + ": more than " + std::to_string(kRulesMax) + " rules"};
  rules_.push_back(std::move(*glob));
  texts_.emplace_back(text);
  classes_.push_back(std::move(*kept));
  return Status::ok();
}

RetentionClass Retention::class_of(std::string_view name) const {
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].matches(name)) return static_cast<RetentionClass>(i + 1);
  }
  return kDefaultRetention;
}

Tiers Retention::longest() const {
  Tiers out = tiers();
  for (const Tiers& kept : classes_) out = out.longer(kept);
  return out;
}

Tiers Retention::shortest(const RetentionClasses& classes) const {
  if (classes.none()) return tiers();
  Tiers out = longest();
  for (size_t i = 0; i < classes_.size(); ++i) {
    if (classes[i]) out = out.shorter(classes_[i]);
  }
  return out;
}

}  // namespace statmill

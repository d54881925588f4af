#include "storage/retention.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string steps_text(const Tiers& tiers) {
  std::string out;
  for (const Tier& tier : tiers)
    out.append(out.empty() ? "" : ",").append(format_duration(std::chrono::seconds(tier.step_s)));
  return out;
}

}  // namespace

Retention::Retention(Tiers tiers) : classes_{std::move(tiers)} {
  if (classes_[0].count() > 0) longest_s_ = shortest_s_ = classes_[0].coarsest().retention_s;
}

Status Retention::add_rule(std::string_view text) {
  const std::string context = "rule \"" + std::string(text) + "\"";
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
  longest_s_ = std::max(longest_s_, kept->coarsest().retention_s);
  shortest_s_ = std::min(shortest_s_, kept->coarsest().retention_s);
  classes_.push_back(std::move(*kept));
  return Status::ok();
}

Status Retention::differs_in_times_only(const Retention& next) const {
  const std::string steps = steps_text(tiers());
  if (const std::string others = steps_text(next.tiers()); others != steps)
    return Error{ErrorCode::kInvalid, "the steps of the tiers are " + steps + " and not " + others};
  for (size_t i = 0; i < std::max(texts_.size(), next.texts_.size()); ++i) {
    const auto rule_of = [i](const Retention& of) {
      if (i >= of.texts_.size()) return std::string("missing");
      return "for \"" + std::string(of.glob(static_cast<RetentionClass>(i + 1))) + "\"";
    };
    const std::string rule = rule_of(*this);
    const std::string other = rule_of(next);
    if (rule == other) continue;
    std::string what = "rule " + std::to_string(i + 1);
    what.append(" is ").append(rule).append(" and not ").append(other);
    return Error{ErrorCode::kInvalid, std::move(what)};
  }
  return Status::ok();
}

std::string_view Retention::glob(RetentionClass retention) const {
  const std::string_view text = rule(retention);
  return text.substr(0, text.find_first_of(kBlanks));
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

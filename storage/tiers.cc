#include "storage/tiers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

constexpr int64_t kDay = 86'400;
constexpr int64_t kStepMax = kDay;
constexpr int64_t kRetentionMax = 100 * 365 * kDay;

// Slots per chunk: 6 h at 10 s, 4 d at 5 min, 30 d at 1 h. Larger chunks read and compress better, but every
// compaction rewrites the whole chunk.
constexpr int64_t kFinestChunkSlots = 2160;
constexpr int64_t kSecondChunkSlots = 1152;
constexpr int64_t kCoarseChunkSlots = 720;
constexpr int64_t kDetailChunkSlots = 3600;  // 1 h: its retention is some hours

Error invalid(std::string_view part, std::string_view why) {
  return {ErrorCode::kInvalid, "tier \"" + std::string(part) + "\": " + std::string(why)};
}

Result<int64_t> parse_seconds(std::string_view part, std::string_view text) {
  const Result<Duration> duration = parse_duration(text);
  if (!duration) return invalid(part, duration.error().message);
  if (duration->count() % 1000 != 0)
    return invalid(part, "not a whole number of seconds: " + std::string(text));
  return duration->count() / 1000;
}

Result<Tier> parse_tier(std::string_view part) {
  const size_t colon = part.find(':');
  if (colon == std::string_view::npos) return invalid(part, "must be STEP:RETENTION, as in 10s:10d");
  const Result<int64_t> step = parse_seconds(part, part.substr(0, colon));
  if (!step) return step.error();
  const Result<int64_t> retention = parse_seconds(part, part.substr(colon + 1));
  if (!retention) return retention.error();
  if (*step < 1 || *step > kStepMax) return invalid(part, "the step must be 1s to 1d");
  if (*retention < 2 * *step) return invalid(part, "the retention is shorter than two steps");
  if (*retention > kRetentionMax) return invalid(part, "the retention is over 100y");
  return Tier{*step, *retention, 0};
}

// The finest chunk's span is a multiple of the coarsest step, and so of every step in between.
int64_t finest_chunk_slots(const Tier& finest, const Tier& coarsest) {
  const int64_t unit = coarsest.step_s / finest.step_s;
  return (kFinestChunkSlots + unit - 1) / unit * unit;
}

std::string seconds_text(int64_t seconds) { return format_duration(std::chrono::seconds(seconds)); }

std::string tier_text(const Tier& tier) {
  return seconds_text(tier.step_s) + ':' + seconds_text(tier.retention_s);
}

Error kept_shorter(std::string_view part, const Tier& finer) {
  return invalid(part, "the retention is shorter than the finer tier's, " + seconds_text(finer.retention_s));
}

}  // namespace

Result<Tiers> Tiers::parse(std::string_view text) {
  Tiers result;
  for (const std::string_view part : split(text, ',')) {
    Result<Tier> tier = parse_tier(part);
    if (!tier) return tier.error();
    if (result.count() == kCountMax) return invalid(part, "at most 8 tiers are possible");
    if (result.count() > 0) {
      const Tier& finer = result.tiers_.back();
      if (tier->step_s <= finer.step_s || tier->step_s % finer.step_s != 0) {
        return invalid(part,
                       "the step must be a multiple of the previous one, " + seconds_text(finer.step_s));
      }
      if (tier->retention_s < finer.retention_s) return kept_shorter(part, finer);
    }
    tier->chunk_slots = result.count() == 1 ? kSecondChunkSlots : kCoarseChunkSlots;
    result.tiers_.push_back(*tier);
  }
  if (result.tiers_.empty())
    return Error{ErrorCode::kInvalid, "no tiers: at least one is needed, as in 10s:10d"};
  result.tiers_.front().chunk_slots = finest_chunk_slots(result.finest(), result.coarsest());
  if (result.finest().step_s > kDetailStep_s) result.detail_ = {kDetailStep_s, 0, kDetailChunkSlots};
  return result;
}

Result<Tiers> Tiers::with_retention(std::string_view text) const {
  Tiers result = *this;
  std::vector<bool> named(stored_count());
  for (const std::string_view part : split(text, ',')) {
    const Result<Tier> wanted = parse_tier(part);
    if (!wanted) return wanted.error();
    size_t i = 0;
    while (i < stored_count() && (*this)[i].step_s != wanted->step_s) ++i;
    if (i == stored_count())
      return invalid(part, "no tier has this step; the tiers are " + this->text() +
                               (has_detail() ? ", and 1s for rules" : ""));
    if (named[i]) return invalid(part, "the step is given twice");
    named[i] = true;
    (i == count() ? result.detail_ : result.tiers_[i]).retention_s = wanted->retention_s;
  }
  if (result.detail_.retention_s > result.finest().retention_s)
    return kept_shorter(tier_text(result.finest()), result.detail_);
  for (size_t i = 1; i < result.count(); ++i) {
    const Tier& tier = result.tiers_[i];
    const Tier& finer = result.tiers_[i - 1];
    if (tier.retention_s < finer.retention_s) return kept_shorter(tier_text(tier), finer);
  }
  return result;
}

Tiers Tiers::without_detail() const {
  Tiers result = *this;
  result.detail_.retention_s = 0;
  return result;
}

Tiers Tiers::longer(const Tiers& other) const {
  Tiers result = *this;
  for (size_t i = 0; i < count(); ++i)
    result.tiers_[i].retention_s = std::max(tiers_[i].retention_s, other[i].retention_s);
  result.detail_.retention_s = std::max(detail_.retention_s, other.detail_.retention_s);
  return result;
}

Tiers Tiers::shorter(const Tiers& other) const {
  Tiers result = *this;
  for (size_t i = 0; i < count(); ++i)
    result.tiers_[i].retention_s = std::min(tiers_[i].retention_s, other[i].retention_s);
  result.detail_.retention_s = std::min(detail_.retention_s, other.detail_.retention_s);
  return result;
}

std::string Tiers::text() const {
  std::string out;
  if (keep_detail()) out = tier_text(detail_);
  for (const Tier& tier : tiers_) {
    if (!out.empty()) out += ',';
    out += tier_text(tier);
  }
  return out;
}

}  // namespace statmill

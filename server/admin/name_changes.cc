#include "server/admin/name_changes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>

#include "base/hash.h"
#include "base/text.h"
#include "proto/canonical_name.h"

namespace statmill {
namespace {

Error invalid(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

Error not_found(std::string_view name) {
  return {ErrorCode::kNotFound, "there is no series \"" + std::string(name) + "\""};
}

bool is_only_stars(std::string_view glob) { return glob.find_first_not_of('*') == std::string_view::npos; }

// A text with at most one star.
struct StarPattern {
  std::string_view head;
  std::string_view tail;
  bool has_star = false;

  static std::optional<StarPattern> parse(std::string_view text) {
    const size_t star = text.find('*');
    if (star == std::string_view::npos) return StarPattern{text, {}, false};
    const StarPattern out{text.substr(0, star), text.substr(star + 1), true};
    if (out.tail.find('*') != std::string_view::npos) return std::nullopt;
    return out;
  }

  // Returns the part of `name` that the star matches. Requires: the pattern matches `name`.
  std::string_view capture(std::string_view name) const {
    return name.substr(head.size(), name.size() - head.size() - tail.size());
  }
};

// Each slice has to flush its shards; sorted, a slice covers few of them.
template <class Element, class NameOf>
void sort_by_shard(const Table& table, std::vector<Element>& elements, const NameOf& name_of) {
  std::sort(elements.begin(), elements.end(), [&](const Element& a, const Element& b) {
    const std::string_view x = name_of(a);
    const std::string_view y = name_of(b);
    return std::pair(table.shard_of_name(x), x) < std::pair(table.shard_of_name(y), y);
  });
}

Error after(size_t done, size_t of, std::string_view what, const Error& why) {
  return {why.code, std::to_string(done) + " of " + std::to_string(of) + " series were " + std::string(what) +
                        " before this failed: " + why.message};
}

Status check_step(std::string_view which, int64_t time_s, int64_t step_s) {
  const int64_t below_s = time_s / step_s * step_s;
  if (below_s == time_s) return Status::ok();
  return invalid(std::string(which) + " " + std::to_string(time_s) + ": must be a multiple of " +
                 format_duration(std::chrono::seconds(step_s)) + ", the step of the coarsest tier, such as " +
                 std::to_string(below_s) + " or " + std::to_string(below_s + step_s));
}

}  // namespace

Status NameChanges::check(const DeleteRequest& request) const {
  const int64_t step_s = table_.tiers().coarsest().step_s;
  if (request.from_s) {
    if (*request.from_s < 0) return invalid("from is before 1970");
    if (Status s = check_step("from", *request.from_s, step_s); !s) return s;
  }
  if (request.until_s) {
    if (*request.until_s <= request.from_s.value_or(0)) return invalid("until is not after from");
    if (Status s = check_step("until", *request.until_s, step_s); !s) return s;
  }
  if (request.names.empty() && request.globs.empty()) return invalid("neither a name nor a pattern is given");
  if (!request.all && std::any_of(request.globs.begin(), request.globs.end(), is_only_stars))
    return invalid("the pattern matches all series; to delete them, set all=true or use --all");
  return Status::ok();
}

Result<std::vector<std::string>> NameChanges::select(const DeleteRequest& request) const {
  if (Status sound = check(request); !sound) return sound.error();
  std::set<std::string> names;
  for (const std::string& text : request.names) {
    auto name = spelled_name(text);
    if (!name) return name.error();
    if (!table_.summary(*name)) return not_found(text);
    names.insert(*std::move(name));
  }
  for (const std::string& text : request.globs) {
    const Result<Glob> glob = Glob::parse(with_blanks_escaped(text));
    if (!glob) return glob.error();
    table_.search(*glob, [&](std::string_view name) {
      names.emplace(name);
      return true;
    });
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::vector<Renaming>> NameChanges::select(const RenameRequest& request) const {
  const auto from = StarPattern::parse(request.from);
  const auto to = StarPattern::parse(request.to);
  if (!from || !to) return invalid("the old and the new name may each contain one * at most");
  if (from->has_star != to->has_star) return invalid("either both names contain a *, or neither does");
  std::vector<Renaming> out;
  if (!from->has_star) {
    auto name = spelled_name(request.from);
    if (!name) return name.error();
    if (!table_.summary(*name)) return not_found(request.from);
    out.push_back({*std::move(name), request.to});
  } else {
    const Result<Glob> glob = Glob::parse(request.from);
    if (!glob) return glob.error();
    if (Glob::is_pattern(std::string(from->head) + std::string(from->tail)))
      return invalid("the only wildcard allowed here is *");
    table_.search(*glob, [&](std::string_view name) {
      out.push_back({std::string(name),
                     std::string(to->head) + std::string(from->capture(name)) + std::string(to->tail)});
      return true;
    });
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  }
  std::set<std::string_view> targets;
  for (Renaming& renaming : out) {
    auto to_name = spelled_name(renaming.to);
    if (!to_name) return to_name.error();
    renaming.to = *std::move(to_name);
    if (!targets.insert(renaming.to).second)
      return invalid("two series would get the name \"" + renaming.to + "\"");
    if (table_.summary(renaming.to)) {
      return invalid("\"" + renaming.from + "\" cannot be renamed: the series \"" + renaming.to +
                     "\" already exists");
    }
  }
  return out;
}

std::optional<SlotRange> NameChanges::slots_of(const DeleteRequest& request) const {
  if (!request.from_s && !request.until_s) return std::nullopt;
  const Tier& finest = table_.tiers().finest();
  SlotRange slots{0, std::numeric_limits<Slot>::max()};
  if (request.from_s) slots.begin = finest.slot_of(*request.from_s);
  if (request.until_s) slots.end = finest.slot_of(*request.until_s);
  return slots;
}

Result<NameChanges::Deleted> NameChanges::run(const DeleteRequest& request) const {
  auto names = select(request);
  if (!names) return names.error();
  sort_by_shard(table_, *names, [](std::string_view name) { return name; });
  const std::optional<SlotRange> slots = slots_of(request);
  const size_t slice = slots ? kErasuresPerTick : kDeletesPerTick;
  Deleted out;
  for (std::span<const std::string> left(*names); !left.empty();) {
    const auto some = left.first(std::min(slice, left.size()));
    const std::vector<std::string_view> now(some.begin(), some.end());
    const Result<ChangedSeries> changed = change_({.deletes = now, .slots = slots, .renames = {}});
    if (!changed) return after(out.deleted + out.erased, names->size(), "deleted", changed.error());
    out.deleted += changed->deleted.size();
    out.erased += changed->erased;
    left = left.subspan(now.size());
  }
  return out;
}

Result<size_t> NameChanges::run(const RenameRequest& request) const {
  auto renamings = select(request);
  if (!renamings) return renamings.error();
  sort_by_shard(table_, *renamings, [](const Renaming& r) { return std::string_view(r.from); });
  size_t done = 0;
  for (std::span<const Renaming> left(*renamings); !left.empty();) {
    std::vector<NewName> now;
    for (const Renaming& r : left.first(std::min(kRenamesPerTick, left.size())))
      now.push_back({r.from, r.to});
    const Result<ChangedSeries> changed = change_({.deletes = {}, .slots = {}, .renames = now});
    if (!changed) return after(done, renamings->size(), "renamed", changed.error());
    done += changed->renamed.size();
    left = left.subspan(now.size());
  }
  return done;
}

}  // namespace statmill

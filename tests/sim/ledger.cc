#include "tests/sim/ledger.h"

#include <algorithm>
#include <set>

namespace statmill::sim {

std::string series_of(const AgentId& id, uint32_t epoch) {
  return "a" + id.text() + ".e" + std::to_string(epoch);
}

Ledger::Violation Ledger::opened(size_t machine, const std::string& series, uint64_t lines) {
  Numbering& numbering = numberings_[series];
  const bool is_new = numbering.of.empty();
  const auto [it, is_first] = numbering.of.try_emplace(machine);
  Lines& mine = it->second;
  if (is_first && !is_new) return "two machines use the same identity:" + series;
  if (is_new) {
    mine.slots.assign(lines, kNoLine);
    mine.given_up = lines;
  }
  if (lines < mine.durable) {
    return series + ": " + std::to_string(mine.durable) + " lines were durable, " + std::to_string(lines) +
           " are left";
  }
  if (lines > mine.slots.size()) return series + ": the spool has lines that were not appended";
  mine.slots.resize(lines);
  mine.durable = lines;
  return std::nullopt;
}

void Ledger::identity_changed(size_t machine, const std::string& before, const std::string& series,
                              uint64_t lost, uint64_t moved) {
  Lines& old = numberings_[before].of[machine];
  Lines& mine = numberings_[series].of[machine];
  const auto begin = old.slots.end() - static_cast<std::ptrdiff_t>(std::min(moved, old.slots.size()));
  mine.slots.assign(lost, kNoLine);
  mine.slots.insert(mine.slots.end(), begin, old.slots.end());
  mine.given_up = lost;
  mine.durable = lost;
  old.slots.erase(begin, old.slots.end());
  old.durable = std::min<uint64_t>(old.durable, old.slots.size());
}

void Ledger::lost_memory(size_t machine) {
  for (auto& [series, numbering] : numberings_) {
    if (const auto found = numbering.of.find(machine); found != numbering.of.end()) found->second.durable = 0;
  }
}

void Ledger::cloned(size_t from, size_t machine, const std::string& series) {
  Numbering& numbering = numberings_[series];
  Lines copy = numbering.of[from];
  copy.durable = 0;  // as its spool will be found
  numbering.of[machine] = std::move(copy);
}

Ledger::Violation Ledger::append(size_t machine, const std::string& series, uint64_t lines_before,
                                 bool is_clock_wrong, std::string& text) {
  Lines& mine = numberings_[series].of[machine];
  if (mine.slots.size() != lines_before) return series + ": wrong line count";
  const int64_t slot_s = kFirstSlotS + kSlotS * static_cast<int64_t>(lines_made_++);
  mine.slots.push_back(slot_s);
  if (is_clock_wrong) refusable_.insert(slot_s);
  text += "*" + series + " " + std::to_string(slot_s) + " 1\n";
  return std::nullopt;
}

void Ledger::synced(size_t machine, const std::string& series) {
  Lines& mine = numberings_[series].of[machine];
  mine.durable = mine.slots.size();
}

std::map<int64_t, uint64_t> Ledger::count_slots(const Content& content) const {
  std::map<int64_t, uint64_t> counts;
  for (const auto& [series, slots] : content) {
    for (const auto& [slot_s, count] : slots) counts[slot_s] += count;
  }
  return counts;
}

Ledger::Violation Ledger::check_once(const Content& content) const {
  // A failed sync may have made some lines durable that are not known to be.
  std::set<int64_t> made;
  for (const auto& [series, numbering] : numberings_) {
    for (const auto& [machine, lines] : numbering.of) made.insert(lines.slots.begin(), lines.slots.end());
  }
  for (const auto& [series, slots] : content) {
    if (!numberings_.contains(series)) return "unknown series:" + series;
    for (const auto& [slot_s, count] : slots) {
      const std::string line = series + " " + std::to_string(slot_s);
      if (count != 1) return "the line " + line + " is stored " + std::to_string(count) + " times";
      if (!made.contains(slot_s))
        return "the line " + line +
               " is stored, but its agent has lost it: it was sent before it was durable";
    }
  }
  return std::nullopt;
}

// If two machines have the numbering, the server has some lines of each, and nothing is checked.
Ledger::Violation Ledger::check_row(const std::map<int64_t, uint64_t>& in, const AgentRow& row,
                                    bool was_forgotten, std::set<int64_t>& known) const {
  const std::string series = series_of(row.id, row.position.epoch);
  const auto numbering = numberings_.find(series);
  if (numbering == numberings_.end()) return "row of an unknown agent:" + series;
  if (numbering->second.of.size() > 1) return std::nullopt;
  const std::vector<int64_t>& slots = numbering->second.of.begin()->second.slots;
  if (row.last().lines > slots.size()) return series + ": the row is ahead of its agent";
  const auto is_described = [&](size_t line) {
    return line < row.position.lines ||
           (row.ahead && line >= row.ahead->lines_before && line < row.ahead->last.lines);
  };
  uint64_t missing = 0;
  for (size_t line = 0; line < slots.size(); ++line) {
    if (is_described(line))
      missing += in.contains(slots[line]) ? uint64_t{0} : 1;
    else if (!was_forgotten)
      known.erase(slots[line]);
  }
  const uint64_t reported = row.lines_lost + row.lines_refused;
  const bool is_exact = row.position.epoch == 1 && !was_forgotten;
  if (is_exact ? missing == reported : missing <= reported) return std::nullopt;
  return series + ": of " + std::to_string(row.last().lines) + " lines " + std::to_string(missing) +
         " are missing, and " + std::to_string(row.lines_lost) + " are reported as lost, " +
         std::to_string(row.lines_refused) + " as refused";
}

// Adds the lines that a server may have of an agent.
void Ledger::add_lines(const AgentId& id, std::set<int64_t>& known) const {
  const std::string prefix = series_of(id, 0).substr(0, series_of(id, 0).size() - 1);
  for (auto it = numberings_.lower_bound(prefix); it != numberings_.end() && it->first.starts_with(prefix);
       ++it) {
    for (const auto& [machine, lines] : it->second.of) known.insert(lines.slots.begin(), lines.slots.end());
  }
}

uint64_t Ledger::count_refusable(const AgentId& id) const {
  std::set<int64_t> lines;
  add_lines(id, lines);
  return static_cast<uint64_t>(
      std::count_if(lines.begin(), lines.end(), [&](int64_t slot_s) { return refusable_.contains(slot_s); }));
}

Ledger::Violation Ledger::check_rows(const Content& content, const std::vector<AgentRow>& rows,
                                     const ServerHistory& history) const {
  const std::map<int64_t, uint64_t> in = count_slots(content);
  std::set<int64_t> known;  // described by some row
  for (const AgentRow& row : rows) add_lines(row.id, known);
  for (const AgentRow& row : rows) {
    const auto secret = secrets_.find(row.id);
    const bool is_strangers =
        row.host == kStrangersHost || (secret != secrets_.end() && secret->second != row.secret);
    if (is_strangers) continue;
    // For earlier epochs only duplicates can be checked.
    if (Violation found = check_row(in, row, history.forgotten.contains(row.id), known)) return found;
    if (!history.was_clock_wrong && row.lines_refused > count_refusable(row.id))
      return row.id.text() + ": " + std::to_string(row.lines_refused) +
             " lines are refused although the clocks were right";
  }
  for (const AgentId& id : history.forgotten) add_lines(id, known);
  for (const auto& [slot_s, count] : in) {
    if (!known.contains(slot_s))
      return "slot " + std::to_string(slot_s) + " is stored, but no row describes it";
  }
  return std::nullopt;
}

Ledger::Violation Ledger::check_end(size_t machine, const AgentRow& row, uint32_t epoch, uint64_t lines,
                                    bool has_lost_nothing) const {
  const std::string series = series_of(row.id, epoch);
  const Numbering& numbering = numberings_.at(series);
  if (row.position.epoch == epoch && row.position.lines == lines) {
    const uint64_t given_up = numbering.of.at(machine).given_up;
    if (epoch != 1 || !has_lost_nothing || numbering.of.size() > 1 || row.lines_lost <= given_up)
      return std::nullopt;
    return series + ": " + std::to_string(row.lines_lost) + " lines are lost, but the spool gave up" +
           std::to_string(given_up);
  }
  return series + ": " + std::to_string(lines) + " lines, and the server is at " +
         std::to_string(row.position.lines) + " of epoch " + std::to_string(row.position.epoch);
}

// Several machines if there are clones.
std::set<size_t> Ledger::machines_of(const AgentId& id) const {
  const std::string prefix = series_of(id, 0).substr(0, series_of(id, 0).size() - 1);
  std::set<size_t> machines;
  for (auto it = numberings_.lower_bound(prefix); it != numberings_.end() && it->first.starts_with(prefix);
       ++it) {
    for (const auto& [machine, lines] : it->second.of) machines.insert(machine);
  }
  return machines;
}

Ledger::Violation Ledger::check_losses(const Content& content, const std::vector<AgentRow>& rows) const {
  if (has_uncounted_loss_) return std::nullopt;
  const std::map<int64_t, uint64_t> in = count_slots(content);
  std::map<size_t, std::set<int64_t>> missing;  // by machine
  for (const auto& [series, numbering] : numberings_) {
    for (const auto& [machine, lines] : numbering.of) {
      for (uint64_t i = 0; i < lines.durable; ++i) {
        if (lines.slots[i] != kNoLine && !in.contains(lines.slots[i]))
          missing[machine].insert(lines.slots[i]);
      }
    }
  }
  std::map<size_t, uint64_t> reported;  // by machine
  for (const AgentRow& row : rows) {
    for (const size_t machine : machines_of(row.id)) reported[machine] += row.lines_lost + row.lines_refused;
  }
  // If the spool of a clone dropped a batch and the server has the other clone's batch with that number, no
  // gap reports it, only the agent's own count of dropped lines.
  for (const auto& [series, numbering] : numberings_) {
    if (numbering.of.size() < 2) continue;
    for (const auto& [machine, lines] : numbering.of) reported[machine] += lines.given_up;
  }
  for (const auto& [machine, lines] : missing) {
    if (lines.size() <= reported[machine]) continue;
    return std::to_string(lines.size()) + " lines of agent " + std::to_string(machine) +
           " are missing, and " + std::to_string(reported[machine]) + " are reported as lost or refused";
  }
  return std::nullopt;
}

}  // namespace statmill::sim

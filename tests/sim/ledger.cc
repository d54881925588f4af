// See ledger.h.
#include "tests/sim/ledger.h"

#include <algorithm>
#include <set>

namespace statmill::sim {

std::string series_of(const AgentId& id, uint32_t epoch) {
  return "a" + id.text() + ".e" + std::to_string(epoch);
}

Ledger::Violation Ledger::opened(size_t machine, const std::string& series, uint64_t lines) {
  const auto [it, is_new] = numberings_.try_emplace(series);
  Numbering& numbering = it->second;
  if (is_new) numbering.machine = machine;
  if (numbering.machine != machine) return "two machines go by one identity: " + series;
  if (lines < numbering.durable) {
    return series + ": " + std::to_string(numbering.durable) + " lines were durable, " +
           std::to_string(lines) + " are left";
  }
  if (lines > numbering.lines.size()) return series + ": the spool has lines that were not appended";
  numbering.lines.resize(lines);
  numbering.durable = lines;
  return std::nullopt;
}

Ledger::Violation Ledger::append(const std::string& series, uint64_t lines_before, std::string& text) {
  Numbering& numbering = numberings_[series];
  if (numbering.lines.size() != lines_before) return series + ": lines are counted wrongly";
  const int64_t slot_s = kFirstSlotS + kSlotS * static_cast<int64_t>(lines_made_++);
  numbering.lines.push_back(slot_s);
  text += "*" + series + " " + std::to_string(slot_s) + " 1\n";
  return std::nullopt;
}

Ledger::Violation Ledger::check_once(const Content& content) const {
  for (const auto& [series, slots] : content) {
    const auto found = numberings_.find(series);
    if (found == numberings_.end()) return "a series of nobody: " + series;
    const Numbering& numbering = found->second;
    // A sync that failed may have come far enough for some of what is not known to be durable.
    const std::set<int64_t> made(numbering.lines.begin(), numbering.lines.end());
    for (const auto& [slot_s, count] : slots) {
      const std::string line = series + " " + std::to_string(slot_s);
      if (count != 1) return "the line " + line + " is in " + std::to_string(count) + " times";
      if (!made.contains(slot_s))
        return "the line " + line + " is in, and its agent has lost it: it was sent too early";
    }
  }
  return std::nullopt;
}

Ledger::Violation Ledger::check_row(const Content& content, const AgentRow& row, bool was_forgotten) const {
  const std::string series = series_of(row.id, row.position.epoch);
  const auto numbering = numberings_.find(series);
  if (numbering == numberings_.end()) return "a row of nobody: " + series;
  const std::vector<int64_t>& lines = numbering->second.lines;
  if (row.position.lines > lines.size()) return series + ": the row is ahead of its agent";
  const auto in = content.find(series);
  uint64_t missing = row.position.lines;
  if (in != content.end()) {
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(row.position.lines);
    for (const auto& [slot_s, count] : in->second) {
      if (std::find(lines.begin(), end, slot_s) != end) {
        --missing;
      } else if (!was_forgotten) {
        return series + ": slot " + std::to_string(slot_s) + " is in, and the row does not know of it";
      }
    }
  }
  const uint64_t told = row.lines_lost + row.lines_refused;
  const bool is_exact = row.position.epoch == 1 && !was_forgotten;
  if (is_exact ? missing == told : missing <= told) return std::nullopt;
  return series + ": of " + std::to_string(row.position.lines) + " lines " + std::to_string(missing) +
         " are missing, and " + std::to_string(row.lines_lost) + " are told to be lost, " +
         std::to_string(row.lines_refused) + " to be refused";
}

Ledger::Violation Ledger::check_rows(const Content& content, const std::vector<AgentRow>& rows,
                                     const std::set<AgentId>& forgotten) const {
  std::set<std::string> known;
  for (const AgentRow& row : rows) {
    if (row.host == kStrangersHost) continue;
    // Of an earlier epoch nothing is known any more, but that each line is in at most once.
    for (uint32_t epoch = 1; epoch <= row.position.epoch; ++epoch) known.insert(series_of(row.id, epoch));
    if (Violation found = check_row(content, row, forgotten.contains(row.id))) return found;
  }
  for (const AgentId& id : forgotten) {
    const std::string prefix = series_of(id, 0).substr(0, series_of(id, 0).size() - 1);
    for (const auto& [series, slots] : content) {
      if (series.starts_with(prefix)) known.insert(series);
    }
  }
  for (const auto& [series, slots] : content) {
    if (!slots.empty() && !known.contains(series)) return series + ": samples without a row";
  }
  return std::nullopt;
}

Ledger::Violation Ledger::check_end(const AgentRow& row, uint32_t epoch, uint64_t lines,
                                    bool has_lost_nothing) const {
  const std::string series = series_of(row.id, epoch);
  if (row.position.epoch == epoch && row.position.lines == lines) {
    const uint64_t given_up = numberings_.at(series).given_up;
    if (epoch != 1 || !has_lost_nothing || row.lines_lost <= given_up) return std::nullopt;
    return series + ": " + std::to_string(row.lines_lost) + " lines are lost, and the spool gave up " +
           std::to_string(given_up);
  }
  return series + ": " + std::to_string(lines) + " lines, and the server is at " +
         std::to_string(row.position.lines) + " of epoch " + std::to_string(row.position.epoch);
}

}  // namespace statmill::sim

#include "agent/collectors/program_users.h"

#include <algorithm>
#include <chrono>

namespace statmill {

bool ProgramUsers::add_file(uint32_t user, SteadyTime now) {
  const auto [it, is_new] = users_.try_emplace(user);
  if (is_new) it->second = {.names = limits_.names_per_minute, .counted = now};
  if (it->second.files >= limits_.files_max) return false;
  ++it->second.files;
  return true;
}

bool ProgramUsers::change_items(uint32_t user, size_t before, size_t now) {
  User& state = users_.at(user);
  const size_t items = state.items - before + now;
  if (now > before && items > limits_.items_max) return false;
  state.items = items;
  return true;
}

bool ProgramUsers::add_name(uint32_t user, SteadyTime now) {
  User& state = users_.at(user);
  const double names = names_at(state, now);
  if (names < 1) return false;
  state.names = names - 1;
  state.counted = now;
  return true;
}

void ProgramUsers::remove_file(uint32_t user, size_t items) {
  User& state = users_.at(user);
  --state.files;
  state.items -= items;
}

void ProgramUsers::forget_idle(SteadyTime now) {
  std::erase_if(users_, [&](const auto& entry) {
    return entry.second.files == 0 && names_at(entry.second, now) >= limits_.names_per_minute;
  });
}

double ProgramUsers::names_at(const User& user, SteadyTime now) const {
  const std::chrono::duration<double, std::ratio<60>> minutes = now - user.counted;
  return std::min(limits_.names_per_minute, user.names + minutes.count() * limits_.names_per_minute);
}

}  // namespace statmill

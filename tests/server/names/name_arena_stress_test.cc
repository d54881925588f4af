// Searches while a writer adds and removes names: a search visits every name that was added before it began
// and is not removed.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/names/name_arena.h"

namespace statmill {
namespace {

constexpr uint32_t kNames = 60'000;

// Every tenth name is removed soon after it is added.
bool is_removed(uint32_t number) { return number % 10 == 0; }
std::string name_of(uint32_t number) { return "dc1.web" + std::to_string(number) + ".cpu"; }
uint32_t number_of(std::string_view name) {
  return static_cast<uint32_t>(std::stoul(std::string(name.substr(std::string_view("dc1.web").size()))));
}

// The writer's progress, which searches check against; and the number of searches, which the writer waits
// for.
struct Progress {
  std::atomic<uint32_t> added{0};
  std::atomic<uint32_t> removed{0};
  std::atomic<size_t> searches{0};
};

void write(NameArena& arena, Progress& progress) {
  std::vector<NameArena::Number> names;
  for (uint32_t id = 0; id < kNames; ++id) {
    while (progress.searches < id / 500 && !testing::Test::HasFailure()) std::this_thread::yield();
    names.push_back(arena.add(name_of(id)));
    progress.added = id + 1;
    const uint32_t old = id < 100 ? 0 : id - 100;
    if (is_removed(old)) arena.remove(names[old]);
    progress.removed = old + 1;
  }
}

// Makes one search. The writer's progress before it says which names it must and must not visit.
void check_search(const NameArena& arena, std::string_view pattern, Progress& progress) {
  const Glob glob = *Glob::parse(pattern);
  const uint32_t added_before = progress.added;
  const uint32_t removed_before = progress.removed;
  std::vector<bool> seen(kNames);
  arena.search(glob, [&](std::string_view name) {
    const uint32_t id = number_of(name);
    EXPECT_FALSE(seen[id]) << "twice";
    EXPECT_EQ(name, name_of(id));
    seen[id] = true;
    return true;
  });
  for (uint32_t id = 0; id < kNames; ++id) {
    const bool matches = glob.matches(name_of(id));
    const bool stays = !is_removed(id);
    const bool must = matches && stays && id < added_before;
    const bool must_not = !matches || (!stays && id < removed_before);
    ASSERT_TRUE(seen[id] || !must) << id;
    ASSERT_FALSE(seen[id] && must_not) << id;
  }
  ++progress.searches;
}

TEST(NameArenaStress, SearchesVisitAllNamesAddedBefore) {
  NameArena arena;
  Progress progress;
  std::atomic<bool> done{false};
  const auto search = [&](std::string_view pattern) {
    while (!done && !HasFailure()) check_search(arena, pattern, progress);
  };
  std::thread by_literal(search, "*7*cpu");
  std::thread by_start(search, "dc1.web1*");
  std::thread all(search, "*");
  write(arena, progress);
  done = true;
  by_literal.join();
  by_start.join();
  all.join();
  check_search(arena, "*", progress);
  EXPECT_GT(arena.dead_bytes(), 0U);
}

}  // namespace
}  // namespace statmill

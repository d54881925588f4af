// Searches beside a writer: every name that was whole before a search began is visited, whatever comes and
// goes meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/table/name_arena.h"

namespace statmill {
namespace {

constexpr uint32_t kNames = 60'000;

// Every tenth name is removed soon after it came.
bool is_removed(uint32_t number) { return number % 10 == 0; }
std::string name_of(uint32_t number) { return "dc1.web" + std::to_string(number) + ".cpu"; }
uint32_t number_of(std::string_view name) {
  return static_cast<uint32_t>(std::stoul(std::string(name.substr(std::string_view("dc1.web").size()))));
}

// How far the writer is, for searches to check against; and how many searches there were, for it to wait for.
struct Progress {
  std::atomic<uint32_t> added{0};
  std::atomic<uint32_t> removed{0};
  std::atomic<size_t> searches{0};
};

void write(NameArena& arena, Progress& progress) {
  std::vector<std::string_view> names;
  for (uint32_t id = 0; id < kNames; ++id) {
    while (progress.searches < id / 500 && !testing::Test::HasFailure()) std::this_thread::yield();
    names.push_back(arena.add(name_of(id)));
    progress.added = id + 1;
    const uint32_t old = id < 100 ? 0 : id - 100;
    if (is_removed(old)) arena.remove(names[old]);
    progress.removed = old + 1;
  }
}

// One search; what it must and must not visit is known from how far the writer was before it.
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

TEST(NameArenaStress, SearchesSeeWhatWasThereBeforeThem) {
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

// NameArena against a plain list of names, for any names, globs and removals.
#include "server/names/name_arena.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "proto/istatd/parser.h"

namespace statmill {
namespace {

using Names = std::multiset<std::string>;

Names found(const NameArena& arena, std::string_view pattern) {
  Names out;
  arena.search(*Glob::parse(pattern), [&](std::string_view name) {
    out.emplace(name);
    return true;
  });
  return out;
}

// Returns the names that match, found by testing each.
Names matching(const Names& names, std::string_view pattern) {
  const Glob glob = *Glob::parse(pattern);
  Names out;
  for (const std::string& name : names) {
    if (glob.matches(name)) out.insert(name);
  }
  return out;
}

TEST(NameArena, FindsByEveryKindOfPattern) {
  const Names names = {"dc1.web1.cpu", "dc1.web11.cpu", "dc2.web1.cpu", "host1.x",
                       "host.x",       "latency",       "a.latency",    "a"};
  NameArena arena;
  for (const std::string& name : names) arena.add(name);
  for (const std::string_view pattern :
       {"dc1.web1.cpu", "dc1.*",   "*.cpu", "*latency", "*.web1.*", "host?.x",
        "host[0-9].x",  "*",       "?",     "*?*",      "{a,b}*y",  "{a*,*y,*}",
        "*1*1*",        "web1",    "dc1",   "latency*", "*1.cpu",   "x",
        "*\n*",         "a\ndc1*", "\n*"})
    EXPECT_EQ(found(arena, pattern), matching(names, pattern)) << pattern;
  EXPECT_TRUE(found(NameArena(), "*").empty());
}

TEST(NameArena, KeepsNamesOfAnySize) {
  NameArena arena;
  std::vector<std::string> names;
  for (size_t i = 0; i < 20'000; ++i) {
    std::string name = std::string(1 + i % kNameBytesMax, 'a') + std::to_string(i);
    name.resize(std::min(name.size(), kNameBytesMax));
    arena.add(name);
    names.push_back(std::move(name));
  }
  const Names all(names.begin(), names.end());
  EXPECT_EQ(found(arena, "*"), all);
  EXPECT_EQ(found(arena, "*77*"), matching(all, "*77*"));
}

TEST(NameArena, HidesARemovedNameAndCountsItsBytes) {
  NameArena arena;
  const NameArena::Number gone = arena.add("host.gone");
  arena.add("host.kept");
  EXPECT_EQ(arena.dead_bytes(), 0U);
  EXPECT_TRUE(arena.remove(gone));
  EXPECT_FALSE(arena.remove(gone)) << "twice";
  EXPECT_EQ(arena.dead_bytes(), std::string_view("host.gone").size() + 3);
  for (const std::string_view pattern : {"*", "host.*", "*host*"})
    EXPECT_EQ(found(arena, pattern), (Names{"host.kept"})) << pattern;
}

TEST(NameArena, StopsWhenTheVisitorReturnsFalse) {
  NameArena arena;
  for (int i = 0; i < 5'000; ++i) arena.add("series." + std::to_string(i));
  for (const std::string_view pattern : {"*", "series.*", "{*,s*}"}) {
    int visits = 0;
    EXPECT_FALSE(arena.search(*Glob::parse(pattern), [&](std::string_view) { return ++visits < 3; }));
    EXPECT_EQ(visits, 3) << pattern;
    const auto count = [&](std::string_view) { return ++visits != 0; };
    EXPECT_FALSE(arena.search(*Glob::parse(pattern), count, [] { return true; })) << "cancelled";
    EXPECT_EQ(visits, 3) << pattern;
  }
}

RC_GTEST_PROP(NameArena, AgreesWithAPlainScan, ()) {
  const auto name_of =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::element('a', 'b', '1', '.')));
  const auto list =
      *rc::gen::resize(60, rc::gen::container<std::vector<std::string>>(rc::gen::resize(12, name_of)));
  NameArena arena;
  Names names;
  for (const std::string& name : list) {
    // Some names are long, so that there are several blocks.
    const bool is_long = *rc::gen::weightedElement<bool>({{3, false}, {1, true}});
    const std::string whole = is_long ? name + std::string(kNameBytesMax - name.size(), 'b') : name;
    const NameArena::Number added = arena.add(whole);
    if (*rc::gen::weightedElement<bool>({{4, false}, {1, true}})) {
      RC_ASSERT(arena.remove(added));
    } else {
      names.insert(whole);
    }
  }
  const auto piece = rc::gen::element<std::string>("a", "b", "1", ".", "ab", "*", "*", "?", "[ab]", "{a,b}",
                                                   "{,*1,[!a]?}", "bbbbbbbbbbbbbbbbbbbbbbbb");
  for (int i = 0; i < 20; ++i) {
    std::string pattern;
    for (const std::string& p :
         *rc::gen::resize(6, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(piece))))
      pattern += p;
    if (!Glob::parse(pattern)) continue;  // too many alternatives
    RC_ASSERT(found(arena, pattern) == matching(names, pattern));
  }
}

// Prints the times of searches, which the test does not check.
TEST(NameArena, AMillionNamesNeedThreeBytesEachMoreThanTheirLength) {
  constexpr size_t kNames = 1'000'000;
  NameArena arena;
  size_t bytes = 0;
  for (size_t id = 0; id < kNames; ++id) {
    const std::string n = std::to_string(id / 20);
    const std::string core = ".cpu.core" + std::to_string(id % 8) + ".user";
    const std::string name = id % 2 == 0 ? "dc" + std::to_string(id / 4 % 4) + ".rack7.web" + n + core
                                         : "shop.eu-west.orders." + std::to_string(id) + ".latency";
    arena.add(name);
    bytes += name.size();
  }
  std::printf("%.1f bytes a name, RAM %.2f more\n", static_cast<double>(bytes) / kNames,
              static_cast<double>(arena.ram_bytes() - bytes) / kNames);
  EXPECT_LE(arena.ram_bytes(), bytes + 4 * kNames);
  for (const std::string_view pattern : {"*.web1234.cpu.*", "dc1.*", "*latency", "*7*9*", "host?.x",
                                         "{a,b}*c", "*", "dc1.rack7.web1234.cpu.core0.user"}) {
    const Glob glob = *Glob::parse(pattern);
    size_t matches = 0;
    const auto start = std::chrono::steady_clock::now();
    arena.search(glob, [&](std::string_view) { return ++matches != 0; });
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    std::printf("%-34.*s %8zu matches %8.2f ms\n", static_cast<int>(pattern.size()), pattern.data(), matches,
                took.count());
  }
}

}  // namespace
}  // namespace statmill

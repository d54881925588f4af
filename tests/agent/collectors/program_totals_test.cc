// The sums of programs, and which programs have series.
#include "agent/collectors/program_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct FakeProcess {
  std::string name;
  uint64_t start = 0;
  uint64_t cpu = 0;
  uint64_t pages = 0;
  bool is_kernel_thread = false;
};
using Host = std::map<uint32_t, FakeProcess>;  // by number

constexpr uint64_t kWalkTicks = 1000;  // between two walks

class Walks {
 public:
  explicit Walks(size_t programs_max) : totals_(programs_max) {}

  void walk(const Host& host) {
    totals_.begin(++walks_ * kWalkTicks);
    for (const auto& [number, process] : host) {
      totals_.add(number, {.name = process.name,
                           .state = 1,
                           .is_kernel_thread = process.is_kernel_thread,
                           .cpu_ticks = process.cpu,
                           .threads = 2,
                           .start_ticks = process.start,
                           .resident_pages = process.pages});
    }
    totals_.finish();
  }
  ListedProgram find(std::string_view name) const {
    for (const ListedProgram& program : totals_.listed()) {
      if (program.name == name) return program;
    }
    return {.name = "not listed"};
  }
  // Those with series, without the reserved names.
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const ListedProgram& program : totals_.listed()) names.emplace(program.name);
    names.erase(std::string(kKernelProgram));
    names.erase(std::string(kOtherPrograms));
    return names;
  }
  std::vector<ListedProgram> listed() const { return totals_.listed(); }
  size_t waiting() const { return totals_.waiting(); }
  uint64_t now() const { return walks_ * kWalkTicks; }

 private:
  ProgramTotals totals_;
  uint64_t walks_ = 0;
};

constexpr uint64_t kBig = 100'000;  // pages: such a program has a place

TEST(ProgramTotals, AddsUpTheProcessesOfAProgram) {
  Walks walks(5);
  Host host = {{1, {"init", 1, 50, 700}}, {7, {"web", 5, 1000, kBig}}, {8, {"web", 6, 2000, kBig}}};
  walks.walk(host);
  EXPECT_EQ(walks.find("web").cpu_ticks, 0U) << "what they used before is not known to be of now";
  EXPECT_FALSE(walks.find("web").began_at_zero);
  host[7].cpu += 30;
  host[8].cpu += 12;
  walks.walk(host);
  const ListedProgram web = walks.find("web");
  EXPECT_EQ(web.cpu_ticks, 42U);
  EXPECT_EQ(web.sum.processes, 2U);
  EXPECT_EQ(web.sum.threads, 4U);
  EXPECT_EQ(web.sum.resident_pages, 2 * kBig);
}

TEST(ProgramTotals, KnowsAProcessByItsStartAndSoTheNumberMayComeBack) {
  Walks walks(5);
  walks.walk({{7, {"web", 5, 1000, kBig}}});
  walks.walk({{7, {"web", walks.now() + 3, 9, kBig}}});
  EXPECT_EQ(walks.find("web").cpu_ticks, 9U) << "all of it is since the walk before";
  walks.walk({{7, {"web", walks.now() - kWalkTicks + 5, 500, kBig}}});
  EXPECT_EQ(walks.find("web").cpu_ticks, 9U) << "one that the walk before should have seen, and did not";
  walks.walk({{7, {"web", walks.now() - 2 * kWalkTicks + 5, 400, kBig}}});
  walks.walk({{7, {"web", walks.now() - 3 * kWalkTicks + 5, 501, kBig}}});
  EXPECT_EQ(walks.find("web").cpu_ticks, 10U) << "a time that went back";
}

TEST(ProgramTotals, WhatAProcessUsesIsOfTheNameThatItHas) {
  Walks walks(5);
  walks.walk({{1, {"sh", 1, 10, kBig}}, {2, {"cc", 1, 10, kBig}}});
  walks.walk({{1, {"cc", 1, 17, kBig}}, {2, {"cc", 1, 10, kBig}}});
  EXPECT_EQ(walks.find("cc").cpu_ticks, 7U);
  EXPECT_EQ(walks.find("sh").cpu_ticks, 0U);
}

TEST(ProgramTotals, ReservedNamesAreOfNoProgram) {
  Walks walks(5);
  walks.walk({{1, {"kworker/0:1", 1, 0, 0, true}}, {2, {"kernel", 1, 0, kBig}}, {3, {"other", 1, 0, kBig}}});
  walks.walk(
      {{1, {"kworker/0:2", 1, 5, 0, true}}, {2, {"kernel", 1, 20, kBig}}, {3, {"other", 1, 300, kBig}}});
  EXPECT_EQ(walks.find("kernel").cpu_ticks, 5U);
  EXPECT_EQ(walks.find("kernel").sum.processes, 1U);
  EXPECT_EQ(walks.find("other").cpu_ticks, 320U);
  EXPECT_EQ(walks.find("other").sum.resident_pages, 2 * kBig);
  EXPECT_THAT(walks.names(), IsEmpty());
}

TEST(ProgramTotals, TheFirstOfEachListHavePlacesAndTheRestIsOther) {
  Walks walks(1);
  walks.walk({{1, {"a", 1, 0, 300}}, {2, {"b", 1, 0, 3000}}, {3, {"c", 1, 0, 300}}});
  EXPECT_THAT(walks.names(), ElementsAre("b")) << "most memory; CPU time is not known yet";
  walks.walk({{1, {"a", 1, 50, 300}}, {2, {"b", 1, 5, 3000}}, {3, {"c", 1, 60, 300}}});
  EXPECT_THAT(walks.names(), ElementsAre("b", "c"));
  EXPECT_TRUE(walks.find("c").began_at_zero);
  EXPECT_EQ(walks.find("c").cpu_ticks, 60U) << "all that is known, from the first walk on";
  EXPECT_EQ(walks.find("other").cpu_ticks, 50U);
  EXPECT_EQ(walks.find("other").sum.processes, 1U);
}

TEST(ProgramTotals, AProgramKeepsItsPlaceUntilAnotherClearlyPassesIt) {
  Walks walks(1);
  walks.walk({{1, {"a", 1, 0, 10'000}}, {2, {"b", 1, 0, 9'000}}});
  walks.walk({{1, {"a", 1, 0, 10'000}}, {2, {"b", 1, 0, 15'000}}});
  EXPECT_THAT(walks.names(), ElementsAre("a"));
  walks.walk({{1, {"a", 1, 0, 10'000}}, {2, {"b", 1, 0, 15'500}}});
  EXPECT_THAT(walks.names(), ElementsAre("b"));
}

TEST(ProgramTotals, AProgramWithoutAProcessKeepsItsPlaceForAnHourOrUntilItIsNeeded) {
  Walks walks(1);
  const Host small = {{1, {"init", 1, 0, 10}}};
  walks.walk({{1, {"init", 1, 0, 10}}, {2, {"a", 1, 0, kBig}}});
  for (size_t i = 1; i < ProgramTotals::kWalksWithoutProcessMax; ++i) walks.walk(small);
  EXPECT_EQ(walks.find("a").name, "a");
  EXPECT_EQ(walks.find("a").sum.processes, 0U);
  walks.walk(small);
  EXPECT_THAT(walks.names(), IsEmpty());

  for (int i = 0; i < 2; ++i) walks.walk({{1, {"init", 1, 0, 10}}, {2, {"a", 1, 0, kBig}}});
  EXPECT_THAT(walks.names(), ElementsAre("a"));
  for (int i = 0; i < 2; ++i) walks.walk({{1, {"init", 1, 0, 10}}, {2, {"b", 1, 0, 300}}});
  EXPECT_THAT(walks.names(), ElementsAre("b"));
}

TEST(ProgramTotals, MemoryGivesNoPlaceToAProgramThatSoonEnds) {
  Walks walks(5);
  const Host host = {{1, {"init", 1, 0, 10}}};
  walks.walk(host);
  for (const char* name : {"grep", "sed", "awk"})
    walks.walk({{1, {"init", 1, 0, 10}}, {2, {name, 1, 0, kBig}}});
  EXPECT_THAT(walks.names(), IsEmpty());
  walks.walk({{1, {"init", 1, 0, 10}}, {2, {"awk", 1, 0, kBig}}});
  EXPECT_THAT(walks.names(), ElementsAre("awk"));
}

TEST(ProgramTotals, NamesThatChangeAllTheTimeGetAFewPlacesOnly) {
  Walks walks(10);
  std::set<std::string> seen;
  size_t waited = 0;
  constexpr size_t kWalks = 360;  // an hour
  for (size_t i = 0; i < kWalks; ++i) {
    walks.walk({{1, {"x" + std::to_string(i), 1, 100 * i * i, kBig}}});
    seen.merge(walks.names());
    waited += walks.waiting();
  }
  EXPECT_LE(static_cast<double>(seen.size()), ProgramTotals::kNewNamesPerHour + 21);
  EXPECT_GE(static_cast<double>(seen.size()), ProgramTotals::kNewNamesPerHour);
  EXPECT_EQ(seen.size() + waited, kWalks);
}

TEST(ProgramTotals, WithoutPlacesAllProgramsAreOther) {
  Walks walks(0);
  walks.walk({{1, {"a", 1, 0, kBig}}});
  walks.walk({{1, {"a", 1, 900, kBig}}});
  EXPECT_THAT(walks.names(), IsEmpty());
  EXPECT_EQ(walks.find("other").cpu_ticks, 900U);
}

// Lets processes start, end, get other names and use CPU time, at random.
void change(Host& host, uint64_t now) {
  const auto number = [](int end) { return static_cast<uint64_t>(*rc::gen::inRange(0, end)); };
  const int changes = *rc::gen::inRange(0, 12);
  for (int i = 0; i < changes; ++i) {
    const auto id = static_cast<uint32_t>(1 + number(15));
    const std::string name = "p" + std::to_string(number(8));
    const auto it = host.find(id);
    if (it == host.end()) {
      host[id] = {name, now + number(500), number(100), number(5000), number(5) == 0};
    } else if (number(4) == 0) {
      host.erase(it);
    } else if (number(4) == 0) {
      it->second.name = name;
    } else {
      it->second.cpu += number(200);
      it->second.pages = number(5000);
    }
  }
}

// The CPU time that the processes of `now` have used since `was`.
uint64_t used_since(const Host& was, const Host& now) {
  uint64_t used = 0;
  for (const auto& [id, process] : now) {
    const auto old = was.find(id);
    const bool is_same = old != was.end() && old->second.start == process.start;
    used += process.cpu - (is_same ? old->second.cpu : 0);
  }
  return used;
}

TEST(ProgramTotals, TotalsNeverDecreaseAndAddUpToWhatAllProcessesUse) {
  EXPECT_TRUE(rc::check([] {
    Walks walks(2);
    Host host;
    std::map<std::string, uint64_t> before;
    const int count = *rc::gen::inRange(2, 12);
    for (int i = 0; i < count; ++i) {
      const Host was = host;
      change(host, walks.now());
      walks.walk(host);
      std::map<std::string, uint64_t> now;
      uint64_t grown = 0;
      uint64_t processes = 0;
      for (const ListedProgram& program : walks.listed()) {
        const std::string name(program.name);
        const uint64_t old = before.contains(name) ? before[name] : 0;
        RC_ASSERT(program.cpu_ticks >= old);
        grown += program.cpu_ticks - old;
        processes += program.sum.processes;
        now[name] = program.cpu_ticks;
      }
      RC_ASSERT(now.size() <= 6U);  // two places in each list, two reserved names
      RC_ASSERT(grown == (i == 0 ? 0 : used_since(was, host)));
      RC_ASSERT(processes == host.size());
      before = now;
    }
  }));
}

}  // namespace
}  // namespace statmill

// These tests run once for each mode, chosen by STATMILL_CELLS (see CMakeLists.txt).
#include "statmill/cells.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "statmill/counter.h"
#include "statmill/registry.h"

namespace statmill {
namespace {

Counter made_before_main{"made.before.main"};
const bool added_before_main = (made_before_main.add(3), true);

TEST(Cells, CountBeforeMain) {
  EXPECT_TRUE(added_before_main);
  EXPECT_EQ(made_before_main.value(), 3u);
  EXPECT_NE(cell_mode(), CellMode::kNone);
}

TEST(Cells, AreZeroWhenReused) {
  const size_t before = cells_claimed();
  uint64_t sum = 0;
  for (int i = 0; i < 10; ++i) {
    Cells cells;
    ASSERT_TRUE(cells.claim(37));
    EXPECT_EQ(cells_claimed(), before + 37);
    EXPECT_EQ(cells.sum(36), 0u);
    cells.add(36, 5);
    sum += cells.sum(36);
  }
  EXPECT_EQ(sum, 50u);
  EXPECT_EQ(cells_claimed(), before);
}

TEST(Cells, SumsHaveTheValueOfEachCell) {
  Cells cells;
  ASSERT_TRUE(cells.claim(100));
  for (size_t i = 0; i < 100; ++i) cells.add(i, i * i);
  std::array<uint64_t, 98> sums{};
  cells.sums(2, sums);
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], (i + 2) * (i + 2));
}

TEST(Cells, SnapshotHasTheSumsOfAllCells) {
  Cells cells;
  ASSERT_TRUE(cells.claim(50));
  Counter counter("counted");
  for (size_t i = 0; i < 50; ++i) cells.add(i, i);
  counter.add(77);
  CellSnapshot snapshot;
  snapshot.take();
  Cells later;
  ASSERT_TRUE(later.claim(50'000));
  later.add(49'999, 1);
  cells.add(7, 100);
  EXPECT_EQ(snapshot.sum(cells, 7), 7u);
  EXPECT_EQ(snapshot.sum(cells, 49), 49u);
  EXPECT_EQ(counter.value(snapshot), 77u);
  EXPECT_EQ(snapshot.sum(later, 49'999), 0u);
  snapshot.take();
  EXPECT_EQ(snapshot.sum(cells, 7), 107u);
  EXPECT_EQ(snapshot.sum(later, 49'999), 1u);
}

TEST(Cells, AddsWithoutACellAreCountedSeparately) {
  Cells too_many;
  EXPECT_FALSE(too_many.claim(kCellsMax + 1));
  const uint64_t before = adds_without_cell();
  too_many.add(0, 7);
  EXPECT_EQ(adds_without_cell(), before + 1);
  EXPECT_EQ(too_many.sum(0), 0u);
}

TEST(Cells, KeepCountsWhenThreadsEnd) {
  Cells cells;
  ASSERT_TRUE(cells.claim(1));
  for (int i = 0; i < 100; ++i) std::thread([&] { cells.add(0, 1); }).join();
  EXPECT_EQ(cells.sum(0), 100u);
}

TEST(Cells, StartAtZeroInAChild) {
  Cells cells;
  ASSERT_TRUE(cells.claim(1));
  cells.add(0, 100);
  const pid_t child = ::fork();
  if (child == 0) {
    cells.add(0, 1);
    Cells more;
    const bool is_right = cells.sum(0) == 1 && more.claim(1);
    ::_exit(is_right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(cells.sum(0), 100u);
}

Cells* interrupted = nullptr;
std::atomic<uint64_t> signals_seen{0};

TEST(Cells, CountInSignalHandlers) {
  Cells cells;
  ASSERT_TRUE(cells.claim(1));
  interrupted = &cells;
  signals_seen = 0;
  struct sigaction action {};
  action.sa_handler = [](int) {
    interrupted->add(0, 1);
    signals_seen.fetch_add(1, std::memory_order_relaxed);
  };
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  const itimerval often{{0, 200}, {0, 200}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  uint64_t own = 0;
  while (signals_seen.load(std::memory_order_relaxed) < 500) {
    for (int i = 0; i < 1000; ++i) cells.add(0, 1);
    own += 1000;
  }
  const itimerval never{};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &never, nullptr), 0);
  ASSERT_EQ(::sigaction(SIGALRM, &before, nullptr), 0);
  EXPECT_EQ(cells.sum(0), own + signals_seen);
}

#if STATMILL_CELLS_SECTION && defined(__x86_64__)

// The sequence of rseq_x86_64.h with a load, a wait and a store instead of the add, so that it is interrupted
// often. A single add instruction is hardly ever interrupted, so it would show nothing.
template <bool kProtected>
void wide_add(uint64_t* cell, uint64_t& aborts) {
  uint64_t pauses;
  asm volatile(STATMILL_RSEQ_DESCRIPTOR
               ".pushsection __rseq_failure, \"ax?\"\n"
               "  .byte 0x0f, 0xb9, 0x3d\n"
               "  .long %c[signature]\n"
               "4: incq %[aborts]\n"
               "  jmp 3f\n"
               ".popsection\n"
               "3: leaq 9b(%%rip), %%rax\n"
               "  testb %[guard], %[guard]\n"
               "  jz 1f\n"
               "  movq %%rax, %%fs:8(%[rseq])\n"
               "1: movl %%fs:4(%[rseq]), %%eax\n"
               "  shlq %[shift], %%rax\n"
               "  movq (%[cell], %%rax), %%rdx\n"
               "  movl $64, %k[pauses]\n"
               "5: pause\n"
               "  decl %k[pauses]\n"
               "  jnz 5b\n"
               "  incq %%rdx\n"
               "  movq %%rdx, (%[cell], %%rax)\n"
               "2:\n"
               : [aborts] "+m"(aborts), [pauses] "=&r"(pauses)
               : [rseq] "r"(__rseq_offset), [cell] "r"(cell), [shift] "i"(Cells::kCpuShift),
                 [signature] "i"(RSEQ_SIG), [guard] "q"(static_cast<unsigned char>(kProtected ? 1 : 0))
               : "rax", "rdx", "memory", "cc");
}

struct Wide {
  uint64_t expected = 0;
  uint64_t counted = 0;
  uint64_t aborts = 0;
};

template <bool kProtected>
Wide count_wide(size_t threads, uint64_t each) {
  const size_t bytes = size_t{static_cast<size_t>(::sysconf(_SC_NPROCESSORS_CONF))} << Cells::kCpuShift;
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  auto* const cell = static_cast<uint64_t*>(memory);
  std::atomic<uint64_t> aborts{0};
  std::vector<std::thread> workers;
  for (size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      uint64_t mine = 0;
      for (uint64_t i = 0; i < each; ++i) wide_add<kProtected>(cell, mine);
      aborts += mine;
    });
  }
  for (std::thread& worker : workers) worker.join();
  Wide out{threads * each, 0, aborts};
  for (size_t at = 0; at < bytes; at += size_t{1} << Cells::kCpuShift) out.counted += cell[at / 8];
  ::munmap(memory, bytes);
  return out;
}

// More threads than CPUs, so that they preempt each other.
Wide count_wide_crowded(bool is_protected) {
  const size_t threads = 4 * std::max(2u, std::thread::hardware_concurrency());
  return is_protected ? count_wide<true>(threads, 20'000) : count_wide<false>(threads, 20'000);
}

TEST(Cells, SectionLosesNoCountWhenInterrupted) {
  if (cell_mode() != CellMode::kSection) GTEST_SKIP() << "this process does not use sections";
  Wide total;
  // Repeats until enough adds were interrupted, which depends on the machine.
  for (int round = 0; round < 50 && total.aborts < 500; ++round) {
    const Wide wide = count_wide_crowded(true);
    total.expected += wide.expected;
    total.counted += wide.counted;
    total.aborts += wide.aborts;
  }
  EXPECT_EQ(total.counted, total.expected);
  std::printf("%llu of %llu adds were interrupted\n", static_cast<unsigned long long>(total.aborts),
              static_cast<unsigned long long>(total.expected));
  if (total.aborts < 100) GTEST_SKIP() << "too few adds were interrupted to show anything";
}

TEST(Cells, TheSameCodeWithoutASectionLosesCounts) {
  if (cell_mode() != CellMode::kSection) GTEST_SKIP() << "this process does not use sections";
  uint64_t lost = 0;
  for (int round = 0; round < 50 && lost == 0; ++round) {
    const Wide wide = count_wide_crowded(false);
    lost = wide.expected - wide.counted;
  }
  EXPECT_GT(lost, 0u) << "the test above would not detect a section without effect";
}

#endif

}  // namespace
}  // namespace statmill

// The other ways to count are written here as their sources implement an add. prometheus-cpp is the library
// itself.
#include "tools/statmill-bench/counters_suite.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>

#ifdef STATMILL_HAS_PROMETHEUS_CPP
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#endif

#include "base/thread_cpu.h"
#include "statmill/registry.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

constexpr std::array<size_t, 4> kThreads = {1, 2, 8, 32};
constexpr size_t kMany = 64;  // counters in the measures named *_64, which choose one at random

// Returns the next random number in 2 ns.
uint64_t next(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// Returns the CPU nanoseconds of one operation. `body(n, seed)` performs n of them in each of the threads at
// once.
using Body = std::function<void(uint64_t n, uint64_t seed)>;

double cpu_ns_per_operation(const Body& body, size_t threads, uint64_t operations) {
  const uint64_t each = std::max<uint64_t>(1, operations / threads);
  std::atomic<size_t> waiting{0};
  std::atomic<uint64_t> used_ns{0};
  std::vector<std::thread> workers;
  for (size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      ++waiting;
      while (waiting.load() < threads) std::this_thread::yield();
      const uint64_t start = thread_cpu_ns();
      body(each, 0x9E3779B97F4A7C15U * (i + 1));
      used_ns += thread_cpu_ns() - start;
    });
  }
  for (std::thread& worker : workers) worker.join();
  return static_cast<double>(used_ns) / static_cast<double>(each * threads);
}

// Measures `add(which)` for one counter, and for many at random. `Add` is a template parameter, so that it is
// inlined.
template <class Add>
Body hot(Add add) {
  return [add](uint64_t n, uint64_t) {
    for (uint64_t i = 0; i < n; ++i) add(size_t{0});
  };
}
template <class Add>
Body at_random(Add add) {
  return [add](uint64_t n, uint64_t seed) {
    for (uint64_t i = 0; i < n; ++i) add(static_cast<size_t>(next(seed) % kMany));
  };
}
// Values of 20 bits: latencies from a microsecond to a millisecond.
template <class Record>
Body values(Record record) {
  return [record](uint64_t n, uint64_t seed) {
    for (uint64_t i = 0; i < n; ++i) record(next(seed) >> 44);
  };
}

struct alignas(64) CacheLine {
  std::atomic<uint64_t> value{0};
};

std::array<std::atomic<uint64_t>, kMany> atomics;
std::array<std::atomic<double>, kMany> doubles;
std::mutex mutexes[kMany];
std::array<uint64_t, kMany> guarded;
// One counter per thread, registered and added up by the reader: plain loads and stores.
thread_local std::array<std::atomic<uint64_t>, kMany> thread_counts;

void add_cas(std::atomic<double>& value) {
  double now = value.load(std::memory_order_relaxed);
  while (!value.compare_exchange_weak(now, now + 1, std::memory_order_relaxed)) {
  }
}

void add_own(std::atomic<uint64_t>& value) {
  value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// RocksDB's way: one cache line for each of at least 8 cores, chosen by sched_getcpu().
void add_core_local(size_t which) {
  static std::vector<std::array<CacheLine, kMany>> cores(
      std::max(8u, std::bit_ceil(std::thread::hardware_concurrency())));
  const int cpu = ::sched_getcpu();
  cores[static_cast<size_t>(cpu < 0 ? 0 : cpu) & (cores.size() - 1)][which].value.fetch_add(
      1, std::memory_order_relaxed);
}

struct Way {
  std::string name;
  Body body;
};

std::vector<Way> ways() {
  std::vector<Way> out;
  const auto both = [&](const std::string& name, auto add) {
    out.push_back({name, hot(add)});
    out.push_back({name + "_64", at_random(add)});
  };
  static Registry registry;
  static const std::array<Counter*, kMany> counters = [] {
    std::array<Counter*, kMany> made{};
    for (size_t i = 0; i < kMany; ++i) made[i] = &registry.counter("many." + std::to_string(i), "");
    return made;
  }();
  both("add", [](size_t which) { counters[which]->add(); });
  both("atomic", [](size_t which) { atomics[which].fetch_add(1, std::memory_order_relaxed); });
  both("cas", [](size_t which) { add_cas(doubles[which]); });
  both("mutex", [](size_t which) {
    const std::lock_guard lock(mutexes[which]);
    ++guarded[which];
  });
  both("thread_local", [](size_t which) { add_own(thread_counts[which]); });
  both("core_local", [](size_t which) { add_core_local(which); });
  static Histogram<>& histogram = registry.histogram("histogram", "");
  out.push_back({"histogram", values([](uint64_t value) { histogram.record(value); })});
#ifdef STATMILL_HAS_PROMETHEUS_CPP
  static std::array<prometheus::Counter, kMany> theirs;
  both("prometheus_add", [](size_t which) { theirs[which].Increment(); });
  static prometheus::Histogram their_histogram([] {
    prometheus::Histogram::BucketBoundaries bounds;
    for (int i = 0; i < 20; ++i) bounds.push_back(static_cast<double>(1u << i));
    return bounds;
  }());
  out.push_back({"prometheus_histogram",
                 values([](uint64_t value) { their_histogram.Observe(static_cast<double>(value)); })});
#endif
  // The cost of the random numbers of *_64 and of histograms.
  out.push_back({"generator", values([](uint64_t value) { asm volatile("" : : "r"(value)); })});
  return out;
}

double median(std::vector<double> values) { return percentile(std::move(values), 50); }

double microseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

// The cost of reading, and the memory of a counter.
std::vector<Measurement> measure_reading(size_t runs) {
  constexpr size_t kCounters = 10'000;
  const size_t claimed = cells_claimed();
  Registry all;
  for (size_t i = 0; i < kCounters; ++i) all.counter("read." + std::to_string(i), "").add(i);
  CellSnapshot snapshot;
  snapshot.take();  // allocates its memory
  std::vector<double> snapshots;
  std::vector<double> readings;
  const size_t times = std::max<size_t>(runs, 5) * 4;
  for (size_t i = 0; i < times; ++i) snapshots.push_back(microseconds_of([&] { snapshot.take(); }));
  for (size_t i = 0; i < times; ++i) readings.push_back(microseconds_of([&] { all.read(); }));
  const size_t cells = cells_claimed() - claimed;
  const auto per_counter = static_cast<double>(cells * 8 * std::thread::hardware_concurrency()) / kCounters;
  return {{"counters.snapshot_10k_us", median(snapshots), "us", kCounters},
          {"counters.read_10k_us", median(readings), "us", kCounters},
          {"counters.cell_bytes_per_counter", per_counter, "B", kCounters},
          {"counters.bytes_per_counter", per_counter + sizeof(Counter), "B", kCounters}};
}

bool is_asked(const CountersOptions& options, const std::string& name) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

}  // namespace

po::options_description describe_counters() {
  po::options_description out("counters; all measures take a minute", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(counters_measures());
  out.add_options()                                   //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("operations", text_value("COUNT")->default_value("4000000"),
       "number of operations per run, all threads together")  //
      ("runs", text_value("COUNT")->default_value("5"), "runs per measure, in turn; the medians are printed");
  return out;
}

Result<CountersOptions> counters_options(const po::variables_map& values) {
  auto only = measures_asked(values, counters_measures());
  if (!only) return only.error();
  const Result<size_t> operations = count(values, "operations", {.min = 1000, .max = 10'000'000'000});
  if (!operations) return operations.error();
  const Result<size_t> runs = count(values, "runs", {.max = 1000});
  if (!runs) return runs.error();
  return CountersOptions{.only = std::move(*only), .operations = *operations, .runs = *runs};
}

std::vector<std::string> counters_measures() {
  std::vector<std::string> names;
  for (const Way& way : ways()) names.push_back(way.name);
  names.emplace_back("reading");
  return names;
}

Result<std::vector<Measurement>> run_counters(const CountersOptions& options, const std::filesystem::path&) {
#ifndef STATMILL_HAS_PROMETHEUS_CPP
  std::fputs("counters: prometheus-cpp is not measured, the build did not find it\n", stderr);
#endif
  const std::vector<Way> all = ways();
  std::vector<std::array<std::vector<double>, kThreads.size()>> figures(all.size());
  // Alternates, so that a slow minute of the machine affects all ways.
  for (size_t run = 0; run < options.runs; ++run) {
    for (size_t way = 0; way < all.size(); ++way) {
      if (!is_asked(options, all[way].name)) continue;
      for (size_t t = 0; t < kThreads.size(); ++t)
        figures[way][t].push_back(cpu_ns_per_operation(all[way].body, kThreads[t], options.operations));
    }
  }
  std::vector<Measurement> out;
  for (size_t way = 0; way < all.size(); ++way) {
    for (size_t t = 0; t < kThreads.size(); ++t) {
      if (figures[way][t].empty()) continue;
      out.push_back({"counters." + all[way].name + ".t" + std::to_string(kThreads[t]),
                     median(figures[way][t]), "ns", options.operations});
    }
  }
  if (is_asked(options, "reading")) {
    const std::vector<Measurement> reading = measure_reading(options.runs);
    out.insert(out.end(), reading.begin(), reading.end());
  }
  return out;
}

}  // namespace statmill

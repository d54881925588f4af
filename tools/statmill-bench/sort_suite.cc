#include "tools/statmill-bench/sort_suite.h"

#include <algorithm>
#include <array>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <cstdint>
#include <random>

#include "base/radix_sort.h"
#include "base/thread_cpu.h"
#include "storage/ids.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

constexpr size_t kItemsPerRunMin = 200'000;  // short lists are sorted several times per run

// An entry of the journal as it is sorted: its series, and its place in the draft.
struct Key {
  SeriesId id;
  uint32_t piece;
};

struct SortCase {
  std::string name;
  size_t series;  // in the tick
  uint32_t gap;   // between their ids: 1 if the tick has all series
};

std::vector<SortCase> sort_cases() {
  return {{"dense_2500", 2'500, 1},
          {"dense_25k", 25'000, 1},
          {"sparse_25k", 25'000, 40},
          {"dense_1m", 1'000'000, 1}};
}

// Makes the keys in the order of a tick: shard by shard, ascending in each.
std::vector<Key> keys_of(const SortCase& of) {
  std::minstd_rand random(1);
  std::array<std::vector<SeriesId>, kShardCount> shards;
  for (size_t i = 0; i < of.series; ++i)
    shards[random() % kShardCount].push_back(static_cast<SeriesId>(1 + i * of.gap));
  std::vector<Key> keys;
  keys.reserve(of.series);
  for (const std::vector<SeriesId>& ids : shards) {
    for (const SeriesId id : ids) keys.push_back({id, static_cast<uint32_t>(keys.size())});
  }
  return keys;
}

// Returns the CPU time per key, in ns.
template <class Sort>
double ns_per_key(const std::vector<Key>& keys, const Sort& sort) {
  const size_t lists = std::max<size_t>(1, kItemsPerRunMin / keys.size());
  std::vector<std::vector<Key>> copies(lists, keys);
  const uint64_t begin = thread_cpu_ns();
  for (std::vector<Key>& copy : copies) sort(copy);
  return static_cast<double>(thread_cpu_ns() - begin) / static_cast<double>(lists * keys.size());
}

Measured measure_sort(const SortCase& of, const SortOptions& options) {
  const std::vector<Key> keys = keys_of(of);
  const auto is_before = [](const Key& a, const Key& b) { return a.id < b.id; };
  std::vector<Key> room;
  std::vector<double> radix;
  std::vector<double> pdq;
  std::vector<double> spread;
  std::vector<double> standard;
  for (size_t run = 0; run < options.runs; ++run) {
    radix.push_back(ns_per_key(keys, [&](std::vector<Key>& list) {
      radix_sort(list, room, [](const Key& key) { return key.id; });
    }));
    pdq.push_back(ns_per_key(keys, [&](std::vector<Key>& list) {
      boost::sort::pdqsort_branchless(list.begin(), list.end(), is_before);
    }));
    spread.push_back(ns_per_key(keys, [&](std::vector<Key>& list) {
      boost::sort::spreadsort::integer_sort(
          list.begin(), list.end(), [](const Key& key, unsigned shift) { return key.id >> shift; },
          is_before);
    }));
    standard.push_back(
        ns_per_key(keys, [&](std::vector<Key>& list) { std::sort(list.begin(), list.end(), is_before); }));
  }
  const auto median = [&](const std::string& way, const std::vector<double>& figures) {
    return Measurement{"sort." + of.name + "." + way + "_ns_per_key", percentile(figures, 50), "ns",
                       of.series};
  };
  return std::vector<Measurement>{median("radix", radix), median("pdqsort", pdq),
                                  median("spreadsort", spread), median("std", standard)};
}

std::vector<Measure<SortOptions>> make_sort_measures() {
  std::vector<Measure<SortOptions>> out;
  for (const SortCase& of : sort_cases())
    out.push_back({of.name, [of](const SortOptions& options) { return measure_sort(of, options); }});
  return out;
}

}  // namespace

po::options_description describe_sort() {
  po::options_description out("sort; all measures take ten seconds", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(sort_measures());
  out.add_options()                                   //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("runs", text_value("COUNT")->default_value("21"),
       "runs per measure and way to sort, in turn; the medians are printed");
  return out;
}

Result<SortOptions> sort_options(const po::variables_map& values) {
  auto only = measures_asked(values, sort_measures());
  if (!only) return only.error();
  const Result<size_t> runs = count(values, "runs", {.max = 1000});
  if (!runs) return runs.error();
  return SortOptions{.only = std::move(*only), .runs = *runs};
}

std::vector<std::string> sort_measures() { return names_of(make_sort_measures()); }

Result<std::vector<Measurement>> run_sort(const SortOptions& options, const std::filesystem::path&) {
  return run_measures(make_sort_measures(), options.only, options);
}

}  // namespace statmill

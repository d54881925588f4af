// Sums of what the eBPF programs counted, over the banks of all CPUs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "agent/collectors/collector.h"
#include "bpf/h2.h"

namespace statmill {

// The kernel writes the cell at the same time: a plain aligned load, once, by the compiler's word.
inline uint64_t load_cell(const __u64& cell) { return __atomic_load_n(&cell, __ATOMIC_RELAXED); }

// A histogram of all CPUs: each cell is right, but not all are of the same instant.
struct H2Total {
  std::array<uint64_t, H2_BUCKETS> counts{};
  uint64_t sum = 0;

  void add(const h2_cells& cells) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += load_cell(cells.counts[i]);
    sum += load_cell(cells.sum);
  }
  uint64_t count() const {
    uint64_t all = 0;
    for (const uint64_t one : counts) all += one;
    return all;
  }
  Distribution distribution() const {
    return {.grouping_power = H2_GROUPING_POWER, .counts = counts, .sum = sum};
  }
};

// `cell(bank)` of all banks together.
template <class Bank, class Cell>
uint64_t sum_cells(std::span<Bank> banks, Cell cell) {
  uint64_t sum = 0;
  for (Bank& bank : banks) sum += load_cell(cell(bank));
  return sum;
}
template <class Bank, class Member>
uint64_t sum_cells(std::span<Bank> banks, __u64 Member::*cell) {
  return sum_cells(banks, [cell](const Bank& bank) -> const __u64& { return bank.*cell; });
}

// `cells(bank)`, a histogram, of all banks together.
template <class Bank, class Cells>
H2Total sum_histograms(std::span<Bank> banks, Cells cells) {
  H2Total total;
  for (Bank& bank : banks) total.add(cells(bank));
  return total;
}
template <class Bank, class Member>
H2Total sum_histograms(std::span<Bank> banks, h2_cells Member::*cells) {
  return sum_histograms(banks, [cells](const Bank& bank) -> const h2_cells& { return bank.*cells; });
}

}  // namespace statmill

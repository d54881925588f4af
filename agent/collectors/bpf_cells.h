// Sums of the cells that eBPF programs count in, over the banks of all CPUs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "agent/collectors/bpf_probe.h"
#include "agent/collectors/collector.h"
#include "bpf/h2.h"
#include "statmill/h2.h"

namespace statmill {

// The kernel may write the cell at the same time. Loads are not reordered.
inline uint64_t load_cell(const __u64& cell) { return __atomic_load_n(&cell, __ATOMIC_ACQUIRE); }
inline uint32_t load_cell(const __u32& cell) { return __atomic_load_n(&cell, __ATOMIC_ACQUIRE); }

// Clears a slot (bpf/slots.h) of what is gone, its id last, so that the programs can use it again.
template <class Slot>
void release_slot(Slot& slot) {
  Slot cleared{};
  cleared.id = slot.id;
  slot = cleared;
  __atomic_store_n(&slot.id, 0, __ATOMIC_RELEASE);
}

// One CPU's part of a histogram (h2_cells or h2_small_cells), consistent: read between two records.
template <class Cells>
struct H2Part {
  // How often it is read again if the CPU records meanwhile. This many tries fail only if the hypervisor has
  // stopped the CPU within a record, or if it does nothing but record.
  static constexpr int kTriesMax = 100;
  using Count = std::remove_cvref_t<decltype(Cells::counts[0])>;

  explicit H2Part(const Cells& cells) {
    for (int i = 0; i < kTriesMax; ++i) {
      // Reads in the opposite order of h2_record().
      const Count finished = load_cell(cells.finished);
      sum = load_cell(cells.sum);
      if (sum == 0) {  // all finished records have the value 0: most histograms are empty most of the time
        counts[0] = finished;
        bucket_count = 1;
        return;
      }
      bucket_count = counts.size();
      unfinished = Count{0} - finished;
      for (size_t k = 0; k < counts.size(); ++k) unfinished += counts[k] = load_cell(cells.counts[k]);
      if (unfinished == 0) return;
    }
  }
  // The most that the sum may lack, see Distribution.
  uint64_t sum_missing_max(unsigned grouping_power) const {
    size_t last = bucket_count - 1;
    while (last > 0 && counts[last] == 0) --last;
    return uint64_t{unfinished} * h2::upper_bound(grouping_power, last);
  }

  std::array<Count, std::extent_v<decltype(Cells::counts)>> counts;  // only the first bucket_count are set
  size_t bucket_count = 0;
  uint64_t sum = 0;
  Count unfinished = 0;  // records that the counts have and the sum may lack
};

// The sum of one histogram over all CPUs. Each CPU's part is consistent (between two records), but the parts
// are not read at the same instant.
struct H2Total {
  std::array<uint64_t, H2_BUCKETS> counts{};
  uint64_t sum = 0;
  uint64_t sum_missing_max = 0;  // see Distribution

  void add(const h2_cells& cells) {
    const H2Part<h2_cells> part(cells);
    for (size_t k = 0; k < part.bucket_count; ++k) counts[k] += part.counts[k];
    sum += part.sum;
    if (part.unfinished != 0) sum_missing_max += part.sum_missing_max(H2_GROUPING_POWER);
  }
  uint64_t count() const {
    uint64_t all = 0;
    for (const uint64_t one : counts) all += one;
    return all;
  }
  Distribution distribution() const {
    const bool is_empty = sum == 0 && counts[0] == 0;
    return {.grouping_power = H2_GROUPING_POWER,
            .counts = is_empty ? std::span<const uint64_t>() : std::span<const uint64_t>(counts),
            .sum = sum,
            .sum_missing_max = sum_missing_max};
  }
};

// The sum of `cell(bank)` over all banks.
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

// The sum of the histograms `cells(bank)` over all banks.
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

// Reports cells to a sink, summed over all CPUs. Cells of programs that are not attached are not reported.
template <class Bank>
class BankReport {
 public:
  BankReport(const BpfProbe& probe, std::string_view map, MetricSink& sink)
      : probe_(probe), banks_(banks_of<Bank>(probe, map)), sink_(sink) {}

  std::span<Bank> banks() const { return banks_; }
  // `cell` is a member of the bank, or a function of it. `program` is the one that writes it.
  template <class Cell>
  void total(std::string_view program, EventFamily family, TagValues tags, Cell cell) const {
    if (has_program(probe_, program)) sink_.total(family, tags, sum_cells(banks_, cell));
  }
  template <class Cells>
  void distribution(std::string_view program, DistributionFamily family, TagValues tags, Cells cells) const {
    if (has_program(probe_, program))
      sink_.distribution(family, tags, sum_histograms(banks_, cells).distribution());
  }

 private:
  const BpfProbe& probe_;
  const std::span<Bank> banks_;
  MetricSink& sink_;
};

}  // namespace statmill

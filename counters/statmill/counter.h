// Counter: counts events or amounts; it only grows.
//
//   static statmill::Counter requests{"http.requests", "Requests answered."};
//   requests.add();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "statmill/cells.h"
#include "statmill/instrument.h"

namespace statmill {

// The read side of a counter, common to Counter and the members of a CounterGroup.
class AnyCounter : public Instrument {
 public:
  // The current value. See Cells::sum() for consistency and cost.
  uint64_t value() const noexcept { return cells_.sum(index_); }
  uint64_t value(const CellSnapshot& snapshot) const noexcept { return snapshot.sum(cells_, index_); }
  // The index of its cell; see Cells::offset().
  size_t cell() const noexcept { return cells_.size() == 0 ? 0 : cells_.offset() + index_; }

 protected:
  // `cells` must outlive this.
  AnyCounter(const char* name, const Help& help, Registry* registry, const Cells& cells,
             size_t index) noexcept
      : Instrument(name, help, Type::kCounter, registry), cells_(cells), index_(index) {}

 private:
  const Cells& cells_;
  const size_t index_;
};

// Thread-safe and async-signal-safe. Memory: 8 bytes per CPU plus 112.
class Counter final : public AnyCounter {
 public:
  // See Instrument for the arguments. If no cell is left, adds are lost and counted by adds_without_cell().
  explicit Counter(const char* name, const Help& help = {}, Registry* registry = nullptr) noexcept
      : AnyCounter(name, help, registry, cells_, 0) {
    cells_.claim(1);
    join();
  }
  ~Counter() { leave(); }

  // Adds modulo 2^64. Takes 1 to 3 ns, regardless of how many threads add.
  void add(uint64_t n = 1) noexcept { cells_.add(0, n); }

 private:
  Cells cells_;
};

// Counters that are incremented together share a cache line on each CPU: eight per line, in the order given.
// (The banks of statmill's eBPF programs have the same layout.)
//
//   static statmill::CounterGroup<2> disk{{{{"disk.reads", "Reads."}, {"disk.read_bytes", "Bytes read."}}}};
//   disk.add<0>();
//   disk.add<1>(bytes);
//
// Thread-safe and async-signal-safe.
template <size_t kSize>
class CounterGroup {
  static_assert(kSize > 0);

 public:
  struct Member {
    const char* name;
    Help help = {};
  };
  // See Instrument. The strings must outlive the group.
  explicit CounterGroup(const std::array<Member, kSize>& members, Registry* registry = nullptr) noexcept
      : CounterGroup(members, registry, std::make_index_sequence<kSize>()) {
    cells_.claim(kSize, true);
    for (View& view : views_) view.join();
  }
  CounterGroup(const CounterGroup&) = delete;
  CounterGroup& operator=(const CounterGroup&) = delete;
  ~CounterGroup() {
    for (View& view : views_) view.leave();
  }

  template <size_t kMember>
  void add(uint64_t n = 1) noexcept {
    static_assert(kMember < kSize);
    cells_.add(kMember, n);
  }
  uint64_t value(size_t member) const noexcept { return cells_.sum(member); }

 private:
  struct View : AnyCounter {
    View(const Member& member, Registry* registry, const Cells& cells, size_t index) noexcept
        : AnyCounter(member.name, member.help, registry, cells, index) {}
    using Instrument::join;
    using Instrument::leave;
  };
  template <size_t... kIndices>
  CounterGroup(const std::array<Member, kSize>& members, Registry* registry,
               std::index_sequence<kIndices...>) noexcept
      : views_{View(members[kIndices], registry, cells_, kIndices)...} {}

  Cells cells_;
  std::array<View, kSize> views_;
};

// A counter whose value is kept elsewhere and obtained by calling `read` whenever the registry is read.
// `read` must be thread-safe and must not destroy instruments of the same registry.
class CounterFn final : public Instrument {
 public:
  CounterFn(const char* name, const Help& help, std::function<uint64_t()> read, Registry* registry = nullptr)
      : Instrument(name, help, Type::kCounterFn, registry), read_(std::move(read)) {
    join();
  }
  ~CounterFn() { leave(); }

  uint64_t value() const { return read_(); }

 private:
  const std::function<uint64_t()> read_;
};

}  // namespace statmill

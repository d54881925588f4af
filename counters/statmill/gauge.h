// Gauges: a level that goes up and down, one that is asked for, and the highest that was seen.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "statmill/instrument.h"

namespace statmill {

// One value for all CPUs: what is set last counts. Thread-safe, and in signal handlers.
class Gauge final : public Instrument {
 public:
  explicit Gauge(const char* name, const char* help = "", Registry* registry = nullptr) noexcept
      : Instrument(name, help, Type::kGauge, registry) {
    join();
  }
  ~Gauge() { leave(); }

  void set(int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(int64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<int64_t> value_{0};  // writers of other objects do not disturb
};

// A level that something else keeps: asked when it is read. `read` must be thread-safe and must not end
// instruments of the same registry.
class GaugeFn final : public Instrument {
 public:
  GaugeFn(const char* name, const char* help, std::function<double()> read, Registry* registry = nullptr)
      : Instrument(name, help, Type::kGaugeFn, registry), read_(std::move(read)) {
    join();
  }
  ~GaugeFn() { leave(); }

  double value() const { return read_(); }

 private:
  const std::function<double()> read_;
};

// The highest value since it was last taken: a longest queue, a slowest answer. Thread-safe, and in signal
// handlers; a value that is no new highest costs a load, which no other disturbs.
class MaxGauge final : public Instrument {
 public:
  explicit MaxGauge(const char* name, const char* help = "", Registry* registry = nullptr) noexcept
      : Instrument(name, help, Type::kMax, registry) {
    join();
  }
  ~MaxGauge() { leave(); }

  void record(int64_t value) noexcept {
    int64_t highest = value_.load(std::memory_order_relaxed);
    while (value > highest && !value_.compare_exchange_weak(highest, value, std::memory_order_relaxed)) {
    }
  }
  // The highest so far; none when nothing was recorded.
  std::optional<int64_t> value() const noexcept { return read(value_.load(std::memory_order_relaxed)); }
  // The same, and begins anew: each record is in exactly one of what is taken.
  std::optional<int64_t> take() noexcept { return read(value_.exchange(kNone, std::memory_order_relaxed)); }

 private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  static std::optional<int64_t> read(int64_t value) {
    return value == kNone ? std::nullopt : std::optional(value);
  }

  alignas(64) std::atomic<int64_t> value_{kNone};
};

}  // namespace statmill

// Gauges: a level that goes up and down, a level obtained from a function, and a high-water mark.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "statmill/instrument.h"

namespace statmill {

// One value for all CPUs; the last write wins. Thread-safe and async-signal-safe.
class Gauge final : public Instrument {
 public:
  explicit Gauge(const char* name, const Help& help = {}, Registry* registry = nullptr) noexcept
      : Instrument(name, help, Type::kGauge, registry) {
    join();
  }
  ~Gauge() { leave(); }

  void set(int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(int64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<int64_t> value_{0};  // a cache line of its own avoids false sharing
};

// A level that is kept elsewhere and obtained by calling `read` whenever the registry is read. `read` must be
// thread-safe and must not destroy instruments of the same registry.
class GaugeFn final : public Instrument {
 public:
  GaugeFn(const char* name, const Help& help, std::function<double()> read, Registry* registry = nullptr)
      : Instrument(name, help, Type::kGaugeFn, registry), read_(std::move(read)) {
    join();
  }
  ~GaugeFn() { leave(); }

  double value() const { return read_(); }

 private:
  const std::function<double()> read_;
};

// The highest value since the last reset: the longest queue, the slowest response. Thread-safe and
// async-signal-safe. Recording a value that is not a new maximum costs one load.
class MaxGauge final : public Instrument {
 public:
  explicit MaxGauge(const char* name, const Help& help = {}, Registry* registry = nullptr) noexcept
      : Instrument(name, help, Type::kMax, registry) {
    join();
  }
  ~MaxGauge() { leave(); }

  void record(int64_t value) noexcept {
    int64_t highest = value_.load(std::memory_order_relaxed);
    while (value > highest && !value_.compare_exchange_weak(highest, value, std::memory_order_relaxed)) {
    }
  }
  // The highest value since the last reset; nullopt if nothing was recorded since then.
  std::optional<int64_t> value() const noexcept { return read(value_.load(std::memory_order_relaxed)); }
  // Returns value() and resets it atomically: each record counts in exactly one of the results.
  std::optional<int64_t> value_and_reset() noexcept {
    return read(value_.exchange(kNone, std::memory_order_relaxed));
  }

 private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  static std::optional<int64_t> read(int64_t value) {
    return value == kNone ? std::nullopt : std::optional(value);
  }

  alignas(64) std::atomic<int64_t> value_{kNone};
};

}  // namespace statmill

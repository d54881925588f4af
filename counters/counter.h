// Counters: numbers that a program of ours keeps about itself.
//
// A Registry owns its counters and gauges and gives out references that live as long as it does; the hot path
// is one relaxed atomic add. Names follow Prometheus ("statmill_samples_accepted_total").
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace statmill {

// Only grows. Written by any thread, read by whoever takes a snapshot; relaxed: each cell stands for itself.
class Counter {
 public:
  void add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<uint64_t> value_{0};  // its own cache line: writers of others do not disturb
};

// Goes up and down. Same rules.
class Gauge {
 public:
  void set(int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void add(int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<int64_t> value_{0};
};

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Reading {
  enum class Type { kCounter, kGauge };
  std::string_view name;  // lives as long as the registry
  std::string_view help;
  const Labels* labels;
  Type type;
  double value;
};

// Thread-safe. The same name and labels asked for twice give the same cell.
class Registry {
 public:
  Counter& counter(std::string_view name, std::string_view help, Labels labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, Labels labels = {});
  // A value computed when read. `read` must be thread-safe and stay callable as long as the registry is read.
  void gauge_fn(std::string_view name, std::string_view help, Labels labels, std::function<double()> read);
  void counter_fn(std::string_view name, std::string_view help, Labels labels, std::function<double()> read);

  // All values, cells of one name together, in the order of first registration of the name.
  std::vector<Reading> read() const;

 private:
  struct Cell {
    std::string name;
    std::string help;
    Labels labels;
    Reading::Type type;
    Counter counter;
    Gauge gauge;
    std::function<double()> function;  // empty: the cell itself
  };
  Cell& cell(std::string_view name, std::string_view help, Labels labels, Reading::Type type)
      REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::deque<Cell> cells_ GUARDED_BY(mutex_);  // stable addresses
};

// The readings as Prometheus text, version 0.0.4.
std::string prometheus_text(const std::vector<Reading>& readings);

}  // namespace statmill

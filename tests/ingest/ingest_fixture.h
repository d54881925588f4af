// IngestFixture: a table with its intake, and functions to check what they received.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>

#include "base/glob.h"
#include "ingest/dialect.h"
#include "server/table/table.h"
#include "tests/support/series_copy.h"

namespace statmill {

class IngestFixture {
 public:
  static constexpr std::chrono::seconds kPatience{30};

  // The contents of the table: name -> slot -> bucket.
  using Content = std::map<std::string, std::map<int64_t, Bucket>>;
  Content content() const {
    Content content;
    table.search(*Glob::parse("*"), [&content](std::string_view name) {
      content[std::string(name)];
      return true;
    });
    for (auto& [name, slots] : content) {
      const auto copy = copy_of(table, name);
      for (const SlotBucket& slot : copy->unflushed) slots[slot.slot] = slot.bucket;
    }
    return content;
  }
  Bucket bucket(const std::string& name) const {  // merged over all slots
    Bucket all;
    if (const auto copy = copy_of(table, name)) {
      for (const SlotBucket& slot : copy->unflushed) all.merge(slot.bucket);
    }
    return all;
  }

  uint64_t received(std::string_view listener) { return intake.account(listener).received.value(); }
  uint64_t accepted(std::string_view listener) { return intake.account(listener).accepted.value(); }
  uint64_t refused(std::string_view listener, Refusal reason) {
    return intake.account(listener).refused[static_cast<size_t>(reason)]->value();
  }
  uint64_t refused(std::string_view listener) {
    uint64_t sum = 0;
    for (const Counter* counter : intake.account(listener).refused) sum += counter->value();
    return sum;
  }
  bool account_holds(std::string_view listener) {
    return received(listener) == accepted(listener) + refused(listener);
  }
  // Polls the condition. Returns false if it does not hold within kPatience.
  template <class Condition>
  static bool wait_until(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  Table table{*Tiers::parse("10s:10d,5m:1y"), TableLimits{}};
  Registry registry;
  Intake intake{table, registry};
};

}  // namespace statmill

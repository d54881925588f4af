// Intake: the one door to the table. Every listener hands its batches in here and has its account kept here.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "proto/batch.h"
#include "server/ingest/refusal_book.h"
#include "statmill/registry.h"

namespace statmill {

class Table;

// What one listener took: received == accepted + refused + dropped, always (invariant C). Counts samples.
struct ListenerAccount {
  std::string listener;
  Counter& received;
  Counter& accepted;
  std::array<Counter*, kRefusalCount> refused;
  Counter& bytes;
  Counter& extra_fields;
  Counter& renamed;
  Counter& metadata;
};

// Thread-safe.
class Intake {
 public:
  // `table` and `registry` must outlive it.
  Intake(Table& table, Registry& registry) : table_(table), registry_(registry) {}

  // The account of the listener called `listener` ("tcp", "udp", "http", ...), made at first use.
  ListenerAccount account(std::string_view listener);

  // Puts the batch's samples into the table and settles the account; returns how many were accepted. Samples
  // that the table refuses (bad_bucket, too_old, too_new, series_limit, sender_limit, memory_limit) are added
  // to batch.refused.
  uint64_t take(Batch& batch, const ListenerAccount& account, Timestamp now);

  const RefusalBook& refusals() const { return refusals_; }

 private:
  Table& table_;
  Registry& registry_;
  RefusalBook refusals_;
};

}  // namespace statmill

// TickParticipants: several participants of the tick as one, which are called in their order.
#pragma once

#include <utility>
#include <vector>

#include "server/tick/tick_participant.h"

namespace statmill {

class TickParticipants final : public TickParticipant {
 public:
  // All must outlive it.
  explicit TickParticipants(std::vector<TickParticipant*> all) : all_(std::move(all)) {}

  void clock_seen(TickTime now, bool in_doubt) override {
    for (TickParticipant* const one : all_) one->clock_seen(now, in_doubt);
  }
  void add_to(int parity, StoreBatch& batch, Timestamp now) override {
    for (TickParticipant* const one : all_) one->add_to(parity, batch, now);
  }
  void committed(const StoreBatch& batch) override {
    for (TickParticipant* const one : all_) one->committed(batch);
  }

 private:
  const std::vector<TickParticipant*> all_;
};

}  // namespace statmill

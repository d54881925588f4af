#include "ingest/connection_refusals.h"

namespace statmill {
namespace {

// In the order of ConnectionRefusal. They are part of /metrics and never change.
constexpr std::array<std::string_view, kConnectionRefusalCount> kReasons = {"limit", "address_limit",
                                                                            "descriptors", "denied"};

}  // namespace

ConnectionRefusals::ConnectionRefusals(Registry& registry, std::string_view name, const Help& help,
                                       const Labels& labels) {
  for (size_t i = 0; i < kReasons.size(); ++i) {
    Labels with_reason = labels;
    with_reason.emplace_back("reason", std::string(kReasons[i]));
    counters_[i] = &registry.counter(name, help, with_reason);
  }
}

}  // namespace statmill

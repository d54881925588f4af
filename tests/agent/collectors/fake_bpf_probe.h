// FakeBpfProbe: a probe with cells that the test writes in place of the kernel.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/collectors/bpf_probe.h"

namespace statmill {

// Its maps are for two CPUs.
class FakeBpfProbe final : public BpfProbe {
 public:
  static constexpr size_t kCpus = 2;

  std::span<const BpfHook> hooks() const override { return hooks_; }
  std::vector<BpfUse> uses() const override { return uses_; }
  std::span<std::byte> cells(std::string_view map) const override {
    const auto it = maps_.find(map);
    return it == maps_.end() ? std::span<std::byte>() : std::as_writable_bytes(std::span(it->second));
  }

  // Creates the map and returns its banks, with all cells 0.
  template <class Bank>
  std::span<Bank> make(const std::string& map) {
    static_assert(sizeof(Bank) % 8 == 0);
    maps_[map].resize(kCpus * sizeof(Bank) / 8);
    return banks_of<Bank>(*this, map);
  }
  void set_hooks(std::vector<BpfHook> hooks) { hooks_ = std::move(hooks); }
  void set_uses(std::vector<BpfUse> uses) { uses_ = std::move(uses); }

 private:
  mutable std::map<std::string, std::vector<uint64_t>, std::less<>> maps_;
  std::vector<BpfHook> hooks_;
  std::vector<BpfUse> uses_;
};

}  // namespace statmill

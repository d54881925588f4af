// Nvml: what NVIDIA's management library tells of the GPUs of this host. The library comes with the driver;
// it is loaded while the program runs, and needed for nothing else.
//
// Types and numbers are those of nvml.h, which keeps them for programs that were built against older
// versions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// One GPU. What it does not have, or may not tell, is nullopt.
struct GpuReading {
  static constexpr std::array<std::string_view, 3> kClocks = {"graphics", "memory", "sm"};
  static constexpr std::array<std::string_view, 2> kErrors = {"corrected", "uncorrected"};

  std::string address;  // on the PCI bus, "0000:3b:00.0"
  std::string model;    // may be empty
  std::optional<uint64_t> busy_percent;
  std::optional<uint64_t> memory_busy_percent;
  std::optional<uint64_t> memory_bytes;
  std::optional<uint64_t> memory_total_bytes;
  std::optional<uint64_t> temperature_celsius;
  std::optional<uint64_t> power_mw;
  std::optional<uint64_t> energy_mj;                                    // since the driver was loaded
  std::array<std::optional<uint64_t>, kErrors.size()> memory_errors{};  // the same
  std::array<std::optional<uint64_t>, kClocks.size()> clock_mhz{};
};

// Confined to one thread at a time. Its functions may block for as long as the driver does.
class Nvml {
 public:
  static constexpr size_t kGpusMax = 64;
  static constexpr size_t kTextBytesMax = 96;  // nvml.h's limit for names

  // Loads the library and starts it. Errors: kNotFound if there is no library, or no driver of NVIDIA is
  // loaded; kUnavailable if it is too old; otherwise kIo.
  static Result<std::unique_ptr<Nvml>> open(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Errors: kIo. Then the driver may have been loaded again: open it again.
  Result<std::vector<GpuReading>> read();

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::optional<GpuReading> read_gpu(unsigned index);

  const std::unique_ptr<Functions> functions_;
  bool is_started_ = false;
};

}  // namespace statmill

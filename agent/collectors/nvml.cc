#include "agent/collectors/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

#include "base/hidden_characters.h"

namespace statmill {
namespace {

// These are in nvml.h under longer names.
using Device = void*;
enum Code : int { kSuccess = 0, kDriverNotLoaded = 9 };
enum Clock : int { kGraphicsClock = 0, kSmClock = 1, kMemoryClock = 2 };
enum Sensor : int { kGpuSensor = 0 };
enum ErrorKind : int { kCorrected = 0, kUncorrected = 1 };
enum ErrorCounter : int { kSinceDriverStart = 0 };
struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct PciInfo {
  char old_address[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char address[32];
};
static_assert(sizeof(PciInfo) == 68);

// "0000:3b:00.0" of "00000000:3B:00.0", as the kernel writes it.
std::string kernel_address(std::string_view address) {
  constexpr size_t kDigits = 4;  // of the domain, at least
  while (address.starts_with('0') && address.find(':') != std::string_view::npos &&
         address.find(':') > kDigits)
    address.remove_prefix(1);
  std::string out(address);
  for (char& c : out) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Returns what the function writes to its last argument; nullopt if it fails, or the library lacks it.
template <class Number, class Function, class... Arguments>
std::optional<uint64_t> number_of(Function* function, Arguments... arguments) {
  Number number = 0;
  if (function == nullptr || function(arguments..., &number) != kSuccess) return std::nullopt;
  return number;
}

template <size_t kSize>
std::string_view text_in(const std::array<char, kSize>& bytes) {
  return {bytes.data(), static_cast<size_t>(std::find(bytes.begin(), bytes.end(), '\0') - bytes.begin())};
}

}  // namespace

struct Nvml::Functions {
  void* library = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*pci)(Device, PciInfo*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*energy)(Device, unsigned long long*) = nullptr;  // may be null, as the next one: old libraries
  int (*errors)(Device, int, int, unsigned long long*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;

  Functions() = default;
  ~Functions() {
    if (library != nullptr) ::dlclose(library);
  }
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  template <class Function>
  bool find(Function*& function, const char* symbol) {
    function = reinterpret_cast<Function*>(::dlsym(library, symbol));
    return function != nullptr;
  }
  // Returns false if one is missing that all versions since 2013 have.
  bool find_all() {
    find(energy, "nvmlDeviceGetTotalEnergyConsumption");
    find(errors, "nvmlDeviceGetTotalEccErrors");
    return find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
           find(error_text, "nvmlErrorString") && find(count, "nvmlDeviceGetCount_v2") &&
           find(device, "nvmlDeviceGetHandleByIndex_v2") &&
           (find(pci, "nvmlDeviceGetPciInfo_v3") || find(pci, "nvmlDeviceGetPciInfo_v2")) &&
           find(name, "nvmlDeviceGetName") && find(utilization, "nvmlDeviceGetUtilizationRates") &&
           find(memory, "nvmlDeviceGetMemoryInfo") && find(temperature, "nvmlDeviceGetTemperature") &&
           find(power, "nvmlDeviceGetPowerUsage") && find(clock, "nvmlDeviceGetClockInfo");
  }
};

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

Nvml::~Nvml() {
  if (is_started_) functions_->shutdown();
}

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library) {
  auto functions = std::make_unique<Functions>();
  functions->library = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (functions->library == nullptr) return Error{ErrorCode::kNotFound, library + ": not there"};
  if (!functions->find_all()) return Error{ErrorCode::kUnavailable, library + ": too old"};
  auto nvml = std::unique_ptr<Nvml>(new Nvml(std::move(functions)));
  const int code = nvml->functions_->init();
  nvml->is_started_ = code == kSuccess;
  if (code == kDriverNotLoaded) return Error{ErrorCode::kNotFound, library + ": no driver is loaded"};
  if (code != kSuccess) return Error{ErrorCode::kIo, library + ": " + nvml->functions_->error_text(code)};
  return nvml;
}

Result<std::vector<GpuReading>> Nvml::read() {
  unsigned count = 0;
  if (const int code = functions_->count(&count); code != kSuccess)
    return Error{ErrorCode::kIo, std::string("nvmlDeviceGetCount: ") + functions_->error_text(code)};
  std::vector<GpuReading> gpus;
  for (unsigned i = 0; i < std::min<unsigned>(count, kGpusMax); ++i) {
    if (auto gpu = read_gpu(i)) gpus.push_back(*std::move(gpu));
  }
  return gpus;
}

// Returns nullopt if it is lost or not for us: others may go on.
std::optional<GpuReading> Nvml::read_gpu(unsigned index) {
  const Functions& nvml = *functions_;
  Device device = nullptr;
  PciInfo pci{};
  if (nvml.device(index, &device) != kSuccess || nvml.pci(device, &pci) != kSuccess) return std::nullopt;
  GpuReading gpu;
  gpu.address = kernel_address(text_in(std::to_array(pci.address)));
  std::array<char, kTextBytesMax> name{};
  if (nvml.name(device, name.data(), name.size()) == kSuccess && !has_hidden_character(text_in(name)))
    gpu.model = text_in(name);
  Utilization use{};
  if (nvml.utilization(device, &use) == kSuccess) {
    gpu.busy_percent = use.gpu;
    gpu.memory_busy_percent = use.memory;
  }
  Memory memory{};
  if (nvml.memory(device, &memory) == kSuccess) {
    gpu.memory_bytes = memory.used;
    gpu.memory_total_bytes = memory.total;
  }
  gpu.temperature_celsius = number_of<unsigned>(nvml.temperature, device, kGpuSensor);
  gpu.power_mw = number_of<unsigned>(nvml.power, device);
  constexpr std::array<int, 3> kNumbersOfClocks = {kGraphicsClock, kMemoryClock, kSmClock};
  static_assert(kNumbersOfClocks.size() == GpuReading::kClocks.size());
  for (size_t i = 0; i < kNumbersOfClocks.size(); ++i)
    gpu.clock_mhz.at(i) = number_of<unsigned>(nvml.clock, device, kNumbersOfClocks.at(i));
  gpu.energy_mj = number_of<unsigned long long>(nvml.energy, device);
  constexpr std::array<int, 2> kNumbersOfErrors = {kCorrected, kUncorrected};
  static_assert(kNumbersOfErrors.size() == GpuReading::kErrors.size());
  for (size_t i = 0; i < kNumbersOfErrors.size(); ++i)
    gpu.memory_errors.at(i) =
        number_of<unsigned long long>(nvml.errors, device, kNumbersOfErrors.at(i), kSinceDriverStart);
  return gpu;
}

}  // namespace statmill

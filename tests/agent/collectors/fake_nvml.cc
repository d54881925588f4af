// A library in place of NVIDIA's, with two GPUs: the second one lacks what small ones lack.
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
int init_code = kSuccess;
int count_code = kSuccess;
int starts = 0;  // less ends
struct Gpu {
  unsigned index;
} gpus[] = {{0}, {1}};

unsigned index_of(void* device) { return static_cast<Gpu*>(device)->index; }

}  // namespace

extern "C" {

// For the test.
void fake_nvml_set(int init, int count) {
  init_code = init;
  count_code = count;
}
int fake_nvml_starts() { return starts; }

int nvmlInit_v2() {
  if (init_code == kSuccess) ++starts;
  return init_code;
}
int nvmlShutdown() {
  --starts;
  return kSuccess;
}
const char* nvmlErrorString(int code) { return code == 15 ? "GPU is lost" : "Insufficient Permissions"; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return count_code;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &gpus[index];
  return kSuccess;
}
int nvmlDeviceGetPciInfo_v3(void* device, void* info) {
  std::memset(info, 'x', 36);
  std::snprintf(static_cast<char*>(info) + 36, 32, "%s",
                index_of(device) == 0 ? "00000000:3B:00.0" : "00010000:AF:00.0");
  return kSuccess;
}
int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  if (index_of(device) == 1) return kNotSupported;
  std::snprintf(name, size, "NVIDIA A100");
  return kSuccess;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
  if (index_of(device) == 1) return kNotSupported;
  rates[0] = 87;
  rates[1] = 40;
  return kSuccess;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* memory) {
  memory[0] = 40'000'000'000;
  memory[1] = 30'000'000'000;
  memory[2] = 10'000'000'000;
  return kSuccess;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 61;
  return kSuccess;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = 250'500;
  return index_of(device) == 0 ? kSuccess : kNotSupported;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  *millijoules = 7'000;
  return index_of(device) == 0 ? kSuccess : kNotSupported;
}
int nvmlDeviceGetTotalEccErrors(void* device, int kind, int counter, unsigned long long* errors) {
  *errors = counter == 0 && kind == 1 ? 2 : 5;
  return index_of(device) == 0 ? kSuccess : kNotSupported;
}
int nvmlDeviceGetClockInfo(void* device, int clock, unsigned* megahertz) {
  *megahertz = clock == 0 ? 1410 : clock == 1 ? 1400 : 1215;
  return index_of(device) == 0 ? kSuccess : kNotSupported;
}
}

#include <algorithm>
#include <cstring>
#include <new>

#include "statmill/counters.h"
#include "statmill/reporter.h"

namespace {

// The pointers that C sees point to the C++ objects.
template <class C, class Instrument>
C* as_c(Instrument* instrument) {
  return reinterpret_cast<C*>(instrument);
}
statmill::Counter& of(statmill_counter* c) { return *reinterpret_cast<statmill::Counter*>(c); }
const statmill::Counter& of(const statmill_counter* c) {
  return *reinterpret_cast<const statmill::Counter*>(c);
}
statmill::Gauge& of(statmill_gauge* g) { return *reinterpret_cast<statmill::Gauge*>(g); }
statmill::MaxGauge& of(statmill_max_gauge* g) { return *reinterpret_cast<statmill::MaxGauge*>(g); }
statmill::Histogram<>& of(statmill_histogram* h) { return *reinterpret_cast<statmill::Histogram<>*>(h); }

// Returns the instrument in the process's registry, or null. No function of this file may throw.
template <class C, class Made>
C* made(const char* name, const char* help, const char* unit, statmill::Instrument::Type type) noexcept {
  try {
    const auto text_of = [](const char* text) { return text == nullptr ? std::string_view() : text; };
    const statmill::Help texts(text_of(help), text_of(unit));
    return as_c<C>(static_cast<Made*>(statmill::Registry::process().find_or_make(name, texts, type)));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

extern "C" {

statmill_counter* statmill_counter_of(const char* name, const char* help, const char* unit) {
  return made<statmill_counter, statmill::Counter>(name, help, unit, statmill::Instrument::Type::kCounter);
}
statmill_gauge* statmill_gauge_of(const char* name, const char* help, const char* unit) {
  return made<statmill_gauge, statmill::Gauge>(name, help, unit, statmill::Instrument::Type::kGauge);
}
statmill_max_gauge* statmill_max_gauge_of(const char* name, const char* help, const char* unit) {
  return made<statmill_max_gauge, statmill::MaxGauge>(name, help, unit, statmill::Instrument::Type::kMax);
}
statmill_histogram* statmill_histogram_of(const char* name, const char* help, const char* unit) {
  return made<statmill_histogram, statmill::Histogram<>>(name, help, unit,
                                                         statmill::Instrument::Type::kHistogram);
}

void statmill_counter_add(statmill_counter* counter, uint64_t n) { of(counter).add(n); }
uint64_t statmill_counter_value(const statmill_counter* counter) { return of(counter).value(); }
void statmill_gauge_set(statmill_gauge* gauge, int64_t value) { of(gauge).set(value); }
void statmill_gauge_add(statmill_gauge* gauge, int64_t n) { of(gauge).add(n); }
void statmill_max_gauge_record(statmill_max_gauge* gauge, int64_t value) { of(gauge).record(value); }
void statmill_histogram_record(statmill_histogram* histogram, uint64_t value) { of(histogram).record(value); }
void statmill_histogram_record_with(statmill_histogram* histogram, uint64_t value, const char* labels) {
  of(histogram).record_with(value, labels == nullptr ? std::string_view() : labels);
}

statmill_reporter* statmill_reporter_start(const char* address, uint64_t interval_ms, char* error,
                                           uint64_t error_bytes) {
  constexpr uint64_t kIntervalMax = 366ull * 86'400'000;
  std::string why;
  try {
    auto reporter = statmill::Reporter::start(
        {.address = address, .interval = std::chrono::milliseconds(std::min(interval_ms, kIntervalMax))},
        why);
    if (reporter != nullptr) return as_c<statmill_reporter>(reporter.release());
  } catch (const std::exception& e) {  // out of memory or threads
    why = e.what();
  }
  if (error != nullptr && error_bytes > 0) {
    const size_t size = std::min<size_t>(why.size(), error_bytes - 1);
    std::memcpy(error, why.data(), size);
    error[size] = '\0';
  }
  return nullptr;
}

void statmill_reporter_stop(statmill_reporter* reporter) {
  delete reinterpret_cast<statmill::Reporter*>(reporter);
}

}  // extern "C"

// Instrument: the common part of counters, gauges and histograms: a name, a help text, and membership in the
// registry through which it is read.
//
// A name is a dotted path followed by tags in alphabetical order: "http.requests;code=200;method=get". What a
// name cannot have is written as %XX ("disk;label=my%20disk"); name_with() does so. In
// Prometheus text, dots become underscores, tags become labels, and counters get the suffix "_total".
#pragma once

#include <cstdint>

namespace statmill {

class Registry;

class Instrument {
 public:
  enum class Type : uint8_t { kCounter, kCounterFn, kGauge, kGaugeFn, kMax, kHistogram };

  Instrument(const Instrument&) = delete;
  Instrument& operator=(const Instrument&) = delete;

  const char* name() const { return name_; }
  const char* help() const { return help_; }
  Type type() const { return type_; }

 protected:
  // `name`, `help` and `registry` must outlive the instrument. A null registry means Registry::process().
  Instrument(const char* name, const char* help, Type type, Registry* registry) noexcept;
  ~Instrument() = default;

  // Between join() and leave(), other threads read the instrument through the registry: it must be complete
  // when join() is called, and intact until leave() returns. Both take a lock; join() never calls malloc.
  void join() noexcept;
  void leave() noexcept;

 private:
  friend class Registry;

  const char* const name_;
  const char* const help_;
  Registry* const registry_;
  Instrument* next_ = nullptr;
  Instrument* previous_ = nullptr;
  const Type type_;
  uint32_t shared_at_ = 0;  // offset of its entry in the shared file (share.h); 0 if it has none
};

}  // namespace statmill

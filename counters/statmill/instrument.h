// Instrument: what counters, gauges and histograms have in common: a name, a help text, and a place in a
// registry, through which they are read.
//
// A name is a series' name: a dotted path, then tags: "http.requests;code=200;method=get", tags in order. For
// Prometheus dots become underscores, tags labels, and counters end in "_total".
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
  // Both texts must outlive it, and the registry; null: that of the process.
  Instrument(const char* name, const char* help, Type type, Registry* registry) noexcept;
  ~Instrument() = default;

  // From join() to leave() the registry's readers, which are threads of their own, read the instrument: all
  // of it is there by then, and still is. Both take a lock; no malloc.
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
  uint32_t shared_at_ = 0;  // its entry in the file of share.h; 0: none
};

}  // namespace statmill

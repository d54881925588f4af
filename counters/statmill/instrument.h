// Instrument: the common part of counters, gauges and histograms: a name, a help text, and membership in the
// registry through which it is read.
//
// A name is a dotted path followed by tags in alphabetical order: "http.requests;code=200;method=get". What a
// name cannot have is written as %XX ("disk;label=my%20disk"); name_with() does so. In
// Prometheus text, dots become underscores, tags become labels, and counters get the suffix "_total".
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace statmill {

class Registry;

// What a server says about an instrument: a sentence, and the unit of its values, a short word ("bytes",
// "celsius", "tasks"). Without a unit, the end of the name decides ("_bytes", "_ns", "_seconds"). Texts of
// string literals need no braces:
//
//   static statmill::Gauge heat{"room.heat", {"Temperature at the door.", "celsius"}};
//   static statmill::Counter bytes{"http.read_bytes", "Bytes read from clients."};
struct Help {
  constexpr Help() = default;
  // Both texts must outlive the instrument.
  template <std::convertible_to<std::string_view> Text>
  constexpr Help(const Text& sentence,
                 std::string_view unit_word = {})  // NOLINT(google-explicit-constructor)
      : text(sentence), unit(unit_word) {}

  std::string_view text;
  std::string_view unit;
};

class Instrument {
 public:
  enum class Type : uint8_t { kCounter, kCounterFn, kGauge, kGaugeFn, kMax, kHistogram };

  Instrument(const Instrument&) = delete;
  Instrument& operator=(const Instrument&) = delete;

  const char* name() const { return name_; }
  std::string_view help() const { return help_.text; }
  std::string_view unit() const { return help_.unit; }
  Type type() const { return type_; }

 protected:
  // `name`, `help` and `registry` must outlive the instrument. A null registry means Registry::process().
  Instrument(const char* name, const Help& help, Type type, Registry* registry) noexcept;
  ~Instrument() = default;

  // Between join() and leave(), other threads read the instrument through the registry: it must be complete
  // when join() is called, and intact until leave() returns. Both take a lock; join() never calls malloc.
  void join() noexcept;
  void leave() noexcept;
  // The offset of its entry in the shared file (share.h); 0 if it has none.
  uint32_t shared_at() const { return shared_at_; }

 private:
  friend class Registry;

  const char* const name_;
  const Help help_;
  Registry* const registry_;
  Instrument* next_ = nullptr;
  Instrument* previous_ = nullptr;
  const Type type_;
  uint32_t shared_at_ = 0;
};

}  // namespace statmill

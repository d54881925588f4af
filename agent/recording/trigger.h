// Trigger: a comparison of the values of series of this host with a number, "host.load.average_1m > 8".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/glob.h"
#include "base/result.h"
#include "proto/sample.h"

namespace statmill {

// Immutable.
class Trigger {
 public:
  // Parses "NAME OP NUMBER", separated by blanks. NAME is that of a gauge or an event series of the catalogue
  // without the tags of the host, or a glob; OP is one of < <= > >= == !=. Error: kInvalid, also if no series
  // can have this name.
  static Result<Trigger> parse(const std::string& text);

  // Returns kInvalid if none of the collectors reads a series that it could match.
  Status check_collectors(std::span<const std::string> collectors) const;

  const std::string& text() const { return text_; }
  bool matches(std::string_view name) const { return name_.matches(name); }
  bool holds(double value) const;

 private:
  enum class Operator { kLess, kAtMost, kGreater, kAtLeast, kEqual, kOther };

  Trigger(std::string text, Glob name, Operator op, double number)
      : text_(std::move(text)), name_(std::move(name)), operator_(op), number_(number) {}
  static Result<Operator> parse_operator(std::string_view text);

  std::string text_;
  Glob name_;
  Operator operator_;
  double number_;
};

}  // namespace statmill

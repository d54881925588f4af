// Call: one call of a function, with its arguments by the number of the parameter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time_text.h"
#include "server/graphite/function.h"
#include "server/graphite/target_source.h"
#include "server/graphite/value.h"
#include "server/query/query_control.h"

namespace statmill::graphite {

struct RequestRange {
  int64_t from_s = 0;
  int64_t until_s = 0;
};

// What a function may ask of the evaluation that calls it.
class Caller {
 public:
  virtual ~Caller() = default;
  // Evaluates the first argument again, for another range.
  virtual Result<SeriesList> evaluate_first(const RequestRange& range) = 0;
  // Evaluates another target for the range of the call. Its positions count from its own begin.
  virtual Result<SeriesList> evaluate_text(std::string_view target) = 0;
  // The times of stored events (TargetSource::event_times()).
  virtual std::vector<int64_t> event_times(const EventRequest& request) = 0;
};

struct CallContext {
  RequestRange range;
  int64_t now_s = 0;
  const Zone& zone;
  double x_files_factor = 0;  // of the request
  QueryControl& control;
  Caller& caller;
};

// Confined to one thread.
class Call {
 public:
  // `arguments` has an element for each parameter, and more if the last one is repeated. All must outlive it.
  Call(const Function& function, std::vector<Value> arguments, const CallContext& context)
      : function_(function), arguments_(std::move(arguments)), context_(context), meter_(context.control) {}
  ~Call() { context_.control.give_memory(held_bytes_); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Function& function() const { return function_; }
  const RequestRange& range() const { return context_.range; }
  int64_t now_s() const { return context_.now_s; }
  const Zone& zone() const { return context_.zone; }
  double x_files_factor() const { return context_.x_files_factor; }
  QueryControl& control() { return context_.control; }

  size_t size() const { return arguments_.size(); }
  bool has(size_t i) const {
    return i < arguments_.size() && !std::holds_alternative<std::monostate>(arguments_[i]);
  }
  const Value& at(size_t i) const { return arguments_[i]; }

  // Each requires: has(i), and that type.
  SeriesList take(size_t i) { return std::move(std::get<SeriesList>(arguments_[i])); }
  SeriesLists take_lists(size_t i) { return std::move(std::get<SeriesLists>(arguments_[i])); }
  // The series of all arguments from i on.
  SeriesList take_all(size_t i);
  double number(size_t i) const { return std::get<Number>(arguments_[i]).value; }
  int64_t integer(size_t i) const { return static_cast<int64_t>(number(i)); }
  const std::string& text(size_t i) const { return std::get<std::string>(arguments_[i]); }
  bool flag(size_t i) const { return std::get<bool>(arguments_[i]); }
  std::optional<double> optional_number(size_t i) const {
    return has(i) ? std::optional(number(i)) : std::nullopt;
  }
  // The arguments from i on, as nodes of paths or names of tags.
  std::span<const Value> rest(size_t i) const {
    return std::span(arguments_).subspan(std::min(i, arguments_.size()));
  }

  Result<SeriesList> first_in(const RequestRange& range) { return context_.caller.evaluate_first(range); }
  Result<SeriesList> evaluate(std::string_view target) { return context_.caller.evaluate_text(target); }
  std::vector<int64_t> event_times(const EventRequest& request) {
    return context_.caller.event_times(request);
  }

  // kInvalid, with the name of the function before the reason.
  Error error(std::string_view what) const;
  // Call it before work on so many values. Errors: the reason to stop.
  Status work(size_t values) { return meter_.add(values); }
  // Call it before this many values are made of fewer. Errors: kLimit.
  Status check_points(double points);
  // Call it before so much memory is used for a while. Errors: kLimit, kBusy.
  Status check_memory(size_t bytes);
  // Call it before so much memory is used until the call ends. Errors: kLimit, kBusy.
  Status hold_memory(size_t bytes);
  // Calls another function with one list of series, or with several.
  Result<SeriesList> call_with(const Function& other, SeriesList series);
  Result<SeriesList> call_with_lists(const Function& other, SeriesLists lists);

 private:
  const Function& function_;
  std::vector<Value> arguments_;
  const CallContext& context_;
  WorkMeter meter_;
  size_t held_bytes_ = 0;
};

}  // namespace statmill::graphite

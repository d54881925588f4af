#include "server/graphite/call.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/graphite/binding.h"

namespace statmill::graphite {

size_t memory_bytes_of(const Value& value) {
  size_t bytes = 0;
  const auto add = [&](const SeriesList& list) {
    for (const Series& series : list) bytes += series.memory_bytes();
  };
  if (const auto* list = std::get_if<SeriesList>(&value)) add(*list);
  if (const auto* lists = std::get_if<SeriesLists>(&value)) std::ranges::for_each(*lists, add);
  return bytes;
}

SeriesList Call::take_all(size_t i) {
  SeriesList out;
  for (; i < arguments_.size(); ++i) {
    if (auto* list = std::get_if<SeriesList>(&arguments_[i]))
      std::ranges::move(*list, std::back_inserter(out));
  }
  return out;
}

Error Call::error(std::string_view what) const {
  return {ErrorCode::kInvalid, std::string(function_.name) + "(): " + std::string(what)};
}

Status Call::check_points(double points) {
  if (points <= static_cast<double>(context_.control.limits().points_max)) return Status::ok();
  return context_.control.refuse(QueryLimit::kPoints, static_cast<uint64_t>(std::min(points, 1e18)));
}

Status Call::check_memory(size_t bytes) {
  Status taken = context_.control.take_memory(bytes);
  if (taken) context_.control.give_memory(bytes);
  return taken;
}

Status Call::hold_memory(size_t bytes) {
  Status taken = context_.control.take_memory(bytes);
  if (taken) held_bytes_ += bytes;
  return taken;
}

Result<SeriesList> Call::call_with(const Function& other, SeriesList series) {
  SeriesLists lists;
  lists.push_back(std::move(series));
  return call_with_lists(other, std::move(lists));
}

Result<SeriesList> Call::call_with_lists(const Function& other, SeriesLists lists) {
  std::vector<NamedValue> values;
  for (SeriesList& list : lists) values.push_back({{}, std::move(list)});
  auto arguments = bind_arguments(other, std::move(values));
  if (!arguments) return arguments.error();
  Call call(other, *std::move(arguments), context_);
  auto result = other.run(call);
  if (!result) return result.error();
  auto* list = std::get_if<SeriesList>(&*result);
  if (list == nullptr) return error(std::string(other.name) + "() returns no series");
  return std::move(*list);
}

}  // namespace statmill::graphite

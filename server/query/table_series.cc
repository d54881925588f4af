#include "server/query/table_series.h"

#include <algorithm>
#include <functional>
#include <set>

#include "server/names/name_labels.h"
#include "server/table/table.h"

namespace statmill {
namespace {

// Calls `visit` with each name that satisfies the matchers, and its labels, in no order, until it returns
// false.
using Visit = std::function<bool(std::string_view name, NameLabels&& labels)>;
Status search(const Table& table, std::span<const LabelMatcher> matchers, const QueryControl& control,
              const Visit& visit) {
  const auto test = NameTest::parse(matchers);
  if (!test) return test.error();
  table.search(test->prefilter(), [&](std::string_view name) {
    if (control.should_stop()) return false;
    NameLabels labels = labels_of_name(name);
    return !test->accepts(name, labels) || visit(name, std::move(labels));
  });
  return control.check();
}

// Calls `add` with the labels of each series of the request, and returns what it has put into the set.
template <class T, class Add>
Result<std::vector<T>> listed(const Table& table, const CatalogRequest& request, QueryControl& control,
                              const Add& add) {
  static const std::vector<std::vector<LabelMatcher>> kAll(1);
  const size_t most = control.limits().selected_max;
  std::set<T> found;
  for (const auto& matchers : request.selectors.empty() ? kAll : request.selectors) {
    const Status searched = search(table, matchers, control, [&](std::string_view, NameLabels&& labels) {
      add(std::move(labels), found);
      return found.size() <= most;
    });
    if (!searched) return searched.error();
    if (found.size() > most) return control.refuse(QueryLimit::kSelected, found.size());
  }
  std::vector<T> out;
  for (auto it = found.begin(); it != found.end() && out.size() < request.limit; ++it) out.push_back(*it);
  return out;
}

}  // namespace

Result<std::vector<SeriesRef>> TableSeries::select(std::span<const LabelMatcher> matchers,
                                                   QueryControl& control) const {
  std::vector<std::string> names;
  const Status searched = search(table_, matchers, control, [&](std::string_view name, NameLabels&&) {
    names.emplace_back(name);
    return names.size() <= control.limits().selected_max;
  });
  if (!searched) return searched.error();
  if (names.size() > control.limits().selected_max)
    return control.refuse(QueryLimit::kSelected, names.size());
  std::ranges::sort(names);
  std::vector<SeriesRef> out;
  out.reserve(names.size());
  for (std::string& name : names) {
    const auto summary = table_.summary(name);  // none if the series was deleted meanwhile
    if (summary) out.push_back({std::move(name), summary->id});
  }
  return out;
}

uint64_t TableSeries::names_version() const { return table_.names_version(); }

Result<std::vector<SeriesLabels>> TableSeries::series(const CatalogRequest& request,
                                                      QueryControl& control) const {
  return listed<SeriesLabels>(table_, request, control,
                              [](NameLabels&& labels, std::set<SeriesLabels>& found) {
                                found.insert(SeriesLabels::of(std::move(labels)));
                              });
}

Result<std::vector<std::string>> TableSeries::label_names(const CatalogRequest& request,
                                                          QueryControl& control) const {
  return listed<std::string>(table_, request, control, [](NameLabels&& labels, std::set<std::string>& found) {
    for (auto& [label, value] : labels) found.insert(std::move(label));
  });
}

Result<std::vector<std::string>> TableSeries::label_values(std::string_view label,
                                                           const CatalogRequest& request,
                                                           QueryControl& control) const {
  return listed<std::string>(table_, request, control,
                             [label](NameLabels&& labels, std::set<std::string>& found) {
                               for (auto& [name, value] : labels) {
                                 if (name == label && !value.empty()) found.insert(std::move(value));
                               }
                             });
}

}  // namespace statmill

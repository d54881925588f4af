// The index of a shard against a plain set of names: whatever comes, goes and comes again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "base/hash.h"
#include "server/table/shard.h"

namespace statmill {
namespace {

// Names of which many start their search at the same entry, also at the last ones of the table.
RC_GTEST_PROP(SeriesIndex, FindsAllThatIsInAndNothingElse, ()) {
  const auto steps =
      *rc::gen::resize(200, rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, 60)));
  SeriesIndex index;
  SeriesList series;
  std::set<std::string> in;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < 60; ++i) names.push_back("n" + std::to_string(i));
  for (const uint32_t step : steps) {
    const std::string& name = names[step];
    const uint64_t hash = hash_name(name);
    if (in.insert(name).second) {
      const SeriesList::Place place = series.add();
      RC_ASSERT(series[place].name().empty());
      series[place].set_name(name);
      series[place].id = step;
      index.insert(hash, place, series);
    } else {
      const SeriesList::Place place = index.erase(hash, name, series);
      RC_ASSERT(series[place].id == step);
      series.remove(place);
      in.erase(name);
    }
    bool is_right = true;
    for (uint32_t i = 0; i < names.size(); ++i) {
      const Series* found = index.find(hash_name(names[i]), names[i], series);
      is_right &= found == nullptr ? !in.contains(names[i]) : in.contains(names[i]) && found->id == i;
    }
    RC_ASSERT(is_right);
  }
  RC_ASSERT(series.size() <= names.size());
}

}  // namespace
}  // namespace statmill

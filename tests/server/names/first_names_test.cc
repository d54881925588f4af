// NameIndex::first_names() against a sorted list, of so many names that most are left out by their tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "server/names/name_index.h"
#include "tests/server/names/naive_names.h"
#include "tests/support/sanitized.h"

namespace statmill {
namespace {

// Returns `count` names of several shapes. Bytes before and after `.`, `;` and `=` end some parts and values,
// so whole names have another order than their tokens.
std::vector<std::string> names_of_any_order(std::mt19937& random, size_t count) {
  const auto any = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const auto text = [&](uint32_t bytes_max) {
    std::string out(1, static_cast<char>('a' + any(3)));
    for (uint32_t left = any(bytes_max); left > 0; --left) out += "!-/09:<>AZ_az~"[any(14)];
    return out;
  };
  const uint32_t bytes_max = 1 + any(6);
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) {
    std::string name = text(bytes_max);
    for (uint32_t left = any(4); left > 0; --left) name += "." + text(bytes_max);
    if (any(3) == 0) name += ";k=" + text(bytes_max) + (any(2) == 0 ? "" : ".=" + text(2));
    if (any(3) == 0) name += ";k-=" + text(bytes_max);
    out.push_back(name);
  }
  return out;
}

TEST(FirstNames, OfManyAreThoseOfASortedList) {
  for (uint32_t seed = 0; seed < (kIsSanitized ? 3 : 24); ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> names = names_of_any_order(random, 6'000 + random() % 14'000);
    if (seed % 3 == 1) std::sort(names.begin(), names.end());
    if (seed % 3 == 2) std::sort(names.begin(), names.end(), std::greater<>());
    NameIndex index;
    NameSet kept;
    for (const std::string& name : names) {
      const NameRow row = index.add(name);
      if (random() % 8 == 0) {
        index.remove(row);
      } else {
        kept.insert(name);
      }
    }
    for (const char* const pattern : {"*", "a*", "*.b*", "*;k=*"}) {
      const NameSet all = naive_select(kept, {{LabelMatcher::Op::kEqual, "__graphite__", pattern}});
      const std::vector<std::string> want(all.begin(), all.end());
      for (const size_t limit : {0U, 1U, 7U, 100U, 1'000U, 3'000U, 100'000U}) {
        const NameIndex::FirstNames first = index.first_names(*Glob::parse(pattern), limit);
        const auto end = want.begin() + static_cast<ptrdiff_t>(std::min(limit, want.size()));
        ASSERT_EQ(first.names, std::vector<std::string>(want.begin(), end))
            << pattern << " " << limit << " seed " << seed;
        ASSERT_EQ(first.has_more, want.size() > limit) << pattern << " " << limit << " seed " << seed;
      }
    }
  }
}

// Names with and without a tag, with one byte more before it, and of one part alternate in the order.
TEST(FirstNames, AreFoundWhereNamesOfOtherTablesAreBetween) {
  NameIndex index;
  std::vector<std::string> want;
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    want.push_back("host" + std::to_string(i % 7) + (i % 2 == 0 ? "." : "-.") + n + ".x");
    want.push_back("host" + std::to_string(i % 7) + (i % 3 == 0 ? ";k=" : "-;k=") + n);
    if (i % 100 == 0) want.push_back("a" + n);
  }
  for (const std::string& name : want) index.add(name);
  std::sort(want.begin(), want.end());
  for (const size_t limit : {100U, 200U, 201U, 250U, 5'000U}) {
    const NameIndex::FirstNames first = index.first_names(*Glob::parse("*"), limit);
    ASSERT_EQ(first.names,
              std::vector<std::string>(want.begin(), want.begin() + static_cast<ptrdiff_t>(limit)))
        << limit;
    ASSERT_TRUE(first.has_more);
  }
}

// Each column has few texts, so the limit falls between any two of them.
TEST(FirstNames, EndAnywhereInAColumn) {
  NameIndex index;
  std::vector<std::string> want;
  for (size_t i = 0; i < 1'200; ++i) {
    const auto text = [](size_t number) { return std::to_string(7 * number % 20); };
    want.push_back("a" + text(i % 10) + ".b" + text(i / 10 % 12) + ";k=c" + text(i / 120));
  }
  for (const std::string& name : want) index.add(name);
  std::sort(want.begin(), want.end());
  for (size_t limit = 1; limit < want.size(); limit += 3) {
    const NameIndex::FirstNames first = index.first_names(*Glob::parse("*"), limit);
    ASSERT_EQ(first.names,
              std::vector<std::string>(want.begin(), want.begin() + static_cast<ptrdiff_t>(limit)));
  }
}

}  // namespace
}  // namespace statmill

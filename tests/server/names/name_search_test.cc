// The search of NameIndex for words.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "server/names/dictionary_facts.h"
#include "server/names/name_index.h"

namespace statmill {
namespace {

using Texts = std::vector<std::string>;

class NameSearchTest : public testing::Test {
 protected:
  void add(const Texts& names) {
    for (const std::string& name : names) rows_.push_back(index_.add(name));
  }
  FoundNames search(std::string_view text, size_t limit = 50, std::string under = {}) const {
    return index_.find({.words = SearchWords(text), .under = std::move(under), .limit = limit});
  }
  Texts found(std::string_view text, size_t limit = 50, std::string under = {}) const {
    Texts out;
    for (const auto& one : search(text, limit, std::move(under)).names) out.push_back(one.name);
    return out;
  }

  NameIndex index_;
  std::vector<NameRow> rows_;
};

TEST_F(NameSearchTest, FindsWordsInAnyOrderAndCase) {
  add({"host.sched.runqueue_wait_ns;host=web1", "host.sched.runqueue_wait_ns;host=db", "web.run", "plain"});
  EXPECT_EQ(found("web run"), (Texts{"web.run", "host.sched.runqueue_wait_ns;host=web1"}));
  EXPECT_EQ(found("RUN Web"), found("web run"));
  EXPECT_EQ(found("web run db"), Texts{});
  EXPECT_EQ(found(""), Texts{});
  EXPECT_EQ(found("PLAIN"), Texts{"plain"});
  EXPECT_EQ(search("run").total, 3U);
}

TEST_F(NameSearchTest, RanksWholePartsOverBeginningsOverInnerHitsAndShorterNamesFirst) {
  add({"a.xcpu.b", "a.cpu0.b", "longer.a.cpu", "a.cpu", "x;cpu=1", "x;name=cpu", "cpu"});
  EXPECT_EQ(found("cpu"),
            (Texts{"cpu", "a.cpu", "x;cpu=1", "x;name=cpu", "longer.a.cpu", "a.cpu0.b", "a.xcpu.b"}));
  EXPECT_EQ(found("cpu", 2), (Texts{"cpu", "a.cpu"}));
  EXPECT_EQ(search("cpu", 2).total, 7U);
}

TEST_F(NameSearchTest, AWordWithSeparatorsIsATextOfNeighbors) {
  add({"a.cpu.busy", "a.busy.cpu", "a.cpu;busy=1", "m;host=web1", "m;host=x;host2=web1"});
  EXPECT_EQ(found("cpu.busy"), Texts{"a.cpu.busy"});
  EXPECT_EQ(found("host=web")[0], "m;host=web1");
  EXPECT_EQ(found("u.b"), Texts{"a.cpu.busy"});
}

TEST_F(NameSearchTest, TriesLettersInOrderWhenFewNamesHaveTheWord) {
  add({"host.web1.sched.runqueue_wait_ns", "host.db.sched.runqueue_wait_ns", "m;host=web1;z=rqw", "xw1rqwx"});
  EXPECT_EQ(found("w1rqw"), (Texts{"xw1rqwx", "m;host=web1;z=rqw", "host.web1.sched.runqueue_wait_ns"}));
  EXPECT_EQ(found("w1 rqw"), Texts{"xw1rqwx"}) << "two words are words";
  for (int i = 0; i < 20; ++i) add({"w1rqw." + std::to_string(i)});
  EXPECT_EQ(search("w1rqw").total, 21U);
}

TEST_F(NameSearchTest, LettersMayBeginInTheTags) {
  add({"host.sched.runqueue_wait_ns;host=web1", "host.sched.runqueue_wait_ns;host=web12;role=web",
       "host.load;host=web1", "flat;w=1rq", "runqueue_wait"});
  EXPECT_EQ(found("w1rqw"), (Texts{"host.sched.runqueue_wait_ns;host=web1",
                                   "host.sched.runqueue_wait_ns;host=web12;role=web"}));
  EXPECT_EQ(found("rqww1"), found("w1rqw")) << "the order of the name counts as well";
  EXPECT_EQ(search("w1rqw").names[0].hits, (NameHits{{11, 12}, {14, 15}, {20, 21}, {33, 34}, {36, 37}}));
  EXPECT_EQ(found("1hl"), Texts{"host.load;host=web1"}) << "keys of tags count with their values";
}

TEST_F(NameSearchTest, HitsAreBytesOfTheName) {
  add({"host.web1.sched.runqueue_wait_ns"});
  EXPECT_EQ(search("web run").names[0].hits, (NameHits{{5, 8}, {16, 19}}));
  EXPECT_EQ(search("w1rqw").names[0].hits, (NameHits{{5, 6}, {8, 9}, {16, 17}, {19, 20}, {25, 26}}));
}

TEST_F(NameSearchTest, LooksOnlyUnderAPrefixAndAtAcceptedNames) {
  add({"a.cpu;host=1", "b.cpu;host=1", "a*.cpu", "acpu"});
  EXPECT_EQ(found("cpu", 50, "a."), Texts{"a.cpu;host=1"});
  EXPECT_EQ(found("cpu", 50, "a*"), Texts{"a*.cpu"});
  NameQuery query{.words = SearchWords("cpu"), .limit = 50};
  query.accepts = [](std::string_view name) { return name.starts_with("b"); };
  EXPECT_EQ(index_.find(query).total, 1U);
  EXPECT_EQ(index_.find(query).names[0].name, "b.cpu;host=1");
}

TEST_F(NameSearchTest, ForgetsRemovedNamesAndSaysWhenItWasCancelled) {
  add({"a.cpu", "b.cpu"});
  index_.remove(rows_[0]);
  EXPECT_EQ(found("cpu"), Texts{"b.cpu"});
  const FoundNames none = index_.find({.words = SearchWords("cpu"), .limit = 9}, [] { return true; });
  EXPECT_FALSE(none.is_complete);
  EXPECT_TRUE(search("cpu").is_complete);
}

// Agrees with a look at each place of the text.
RC_GTEST_PROP(SearchWords, PlacesAWordInTextsOfAnyLength, ()) {
  const auto text_of = [](int most, const char* letters) {
    std::string text;
    const int size = *rc::gen::inRange(0, most);
    for (int i = 0; i < size; ++i) text += *rc::gen::elementOf(std::string(letters));
    return text;
  };
  const std::string text = text_of(50, "aaaAb.;=");
  const std::string word = "a" + text_of(*rc::gen::element(2, 4, 20), "aaab.");
  PlacedWord wanted;
  const auto at_end = [&](size_t i) { return i == text.size() || is_name_separator(text[i]); };
  for (size_t i = 0; i + word.size() <= text.size(); ++i) {
    std::string here = text.substr(i, word.size());
    std::ranges::transform(here, here.begin(), lower_case);
    if (here != word) continue;
    const bool begins = i == 0 || is_name_separator(text[i - 1]);
    const WordPlace place = !begins                   ? WordPlace::kInside
                            : at_end(i + word.size()) ? WordPlace::kWhole
                                                      : WordPlace::kBeginning;
    if (place > wanted.place) wanted = {place, i};
  }
  const PlacedWord found = place_word(text, word);
  RC_ASSERT(found.place == wanted.place);
  RC_ASSERT(found.begin == wanted.begin);
}

// Agrees with a search of name by name.
RC_GTEST_PROP(NameSearch, AgreesWithASearchNameByName, ()) {
  const auto part = rc::gen::element<std::string>("a", "ab", "B", "cab", "web1", "x=", "run");
  const auto name_of = [&] {
    std::string name = *part;
    const int parts = *rc::gen::inRange(0, 4);
    for (int i = 0; i < parts; ++i) name += "." + *part;
    if (*rc::gen::arbitrary<bool>()) name += ";host=" + *part;
    if (*rc::gen::arbitrary<bool>()) name += ";z=" + *part;
    return name;
  };
  NameIndex index;
  std::set<std::string> names;
  const int count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    const std::string name = name_of();
    if (names.insert(name).second) index.add(name);
  }
  // texts that no word finds make the dictionaries large, whose texts are looked at by and by
  const int others = *rc::gen::element(0, static_cast<int>(DictionaryFacts::kSmall) + 1);
  for (int i = 0; i < others; ++i) index.add("q." + std::to_string(i) + ";host=" + std::to_string(i));
  const SearchWords words(*rc::gen::element<std::string>("a", "AB", "b a", "web run", "ab.", "a.b", "host=a",
                                                         "aba", "wr", "b;h", "z"));
  const FoundNames found = index.find({.words = words, .limit = 1000});
  std::set<std::string> wanted;
  for (const std::string& name : names) {
    if (words.score(name)) wanted.insert(name);
  }
  if (wanted.size() < FoundNames::kFew && !words.letters().empty()) {
    for (const std::string& name : names) {
      const size_t tags = std::min(name.find(';'), name.size());
      for (const std::string& text : {name, name.substr(tags) + name.substr(0, tags)}) {
        if (letters_in(text, words.letters(), 0) == words.letters().size()) wanted.insert(name);
      }
    }
  }
  std::set<std::string> got;
  for (const auto& one : found.names) RC_ASSERT(got.insert(one.name).second);
  RC_ASSERT(got == wanted);
  RC_ASSERT(found.total == wanted.size());
  for (size_t i = 1; i < found.names.size(); ++i) {
    const auto rank = [&](const std::string& name) {
      return std::tuple(-static_cast<int>(words.score(name).value_or(0)), name.size(), name);
    };
    RC_ASSERT(rank(found.names[i - 1].name) < rank(found.names[i].name));
  }
}

}  // namespace
}  // namespace statmill

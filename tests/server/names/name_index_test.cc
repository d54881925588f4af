// NameIndex against a plain list of names, for any names, matchers, globs and removals.
#include "server/names/name_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "proto/sample.h"
#include "tests/server/names/naive_names.h"

namespace statmill {
namespace {

using Op = LabelMatcher::Op;
using Matchers = std::vector<LabelMatcher>;
using Texts = std::vector<std::string>;

NameSet found(const NameIndex& index, std::string_view pattern) {
  NameSet out;
  EXPECT_TRUE(index.search(*Glob::parse(pattern), [&](std::string_view name) {
    out.emplace(name);
    return true;
  }));
  return out;
}

NameSet selected(const NameIndex& index, const Matchers& matchers) {
  NameSet out;
  EXPECT_TRUE(index.select(matchers, [&](std::string_view name) {
    out.emplace(name);
    return true;
  }));
  return out;
}

NameSet filtered(const NameSet& names, std::string_view pattern) {
  return naive_select(names, {{Op::kEqual, "__graphite__", std::string(pattern)}});
}

class NameIndexTest : public testing::Test {
 protected:
  void add(const Texts& names) {
    for (const std::string& name : names) {
      rows_.push_back(index_.add(name));
      names_.insert(name);
    }
  }
  void expect_same(const Matchers& matchers, const std::string& why) {
    EXPECT_EQ(selected(index_, matchers), naive_select(names_, matchers)) << why;
  }

  NameIndex index_;
  NameSet names_;
  std::vector<NameRow> rows_;
};

TEST_F(NameIndexTest, FindsByEveryKindOfPattern) {
  add({"dc1.web1.cpu", "dc1.web11.cpu", "dc2.web1.cpu", "host1.x", "host.x", "latency", "a.latency", "a",
       "a..b", "m;host=x;job=y", "m.n;job=z", "a;b", ".", "x."});
  for (const std::string_view pattern : {"dc1.web1.cpu",   "dc1.*",       "*.cpu", "*latency", "*.web1.*",
                                         "host?.x",        "host[0-9].x", "*",     "?",        "*?*",
                                         "{a,b}*y",        "{a*,*y,*}",   "*1*1*", "web1",     "dc1",
                                         "latency*",       "*1.cpu",      "x",     "*;host=*", "*=x;j*",
                                         "m;host=x;job=y", "a..b",        "*..*",  "*z",       "."})
    EXPECT_EQ(found(index_, pattern), filtered(names_, pattern)) << pattern;
  EXPECT_TRUE(found(NameIndex(), "*").empty());
}

TEST_F(NameIndexTest, SeriesWithoutTheLabelHaveTheEmptyValue) {
  add({"up;host=x", "up;host=y;job=a", "up;job=a", "up", "cpu.idle;host=x"});
  const NameSet without = {"up", "up;job=a"};
  const NameSet with = {"up;host=x", "up;host=y;job=a", "cpu.idle;host=x"};
  EXPECT_EQ(selected(index_, {{Op::kNotEqual, "host", "x"}}), (NameSet{"up", "up;host=y;job=a", "up;job=a"}));
  EXPECT_EQ(selected(index_, {{Op::kMatches, "host", ".*"}}), names_);
  EXPECT_EQ(selected(index_, {{Op::kEqual, "host", ""}}), without);
  EXPECT_EQ(selected(index_, {{Op::kMatches, "host", "|z"}}), without);
  EXPECT_EQ(selected(index_, {{Op::kMatchesNot, "host", ".+"}}), without);
  EXPECT_EQ(selected(index_, {{Op::kNotEqual, "host", ""}}), with);
  EXPECT_EQ(selected(index_, {{Op::kNotEqual, "__n001__", "idle"}}),
            (NameSet{"up;host=x", "up;host=y;job=a", "up;job=a", "up"}));
}

TEST_F(NameIndexTest, RegularExpressionsMatchTheWholeValue) {
  add({"m;a=xay", "m;a=a", "m;a=ab", "m;a=ba", "m;a=b", "x.a.y", "a.a"});
  EXPECT_EQ(selected(index_, {{Op::kMatches, "a", "a"}}), (NameSet{"m;a=a"}));
  EXPECT_EQ(selected(index_, {{Op::kMatches, "a", "a|b"}}), (NameSet{"m;a=a", "m;a=b"}));
  EXPECT_EQ(selected(index_, {{Op::kMatches, "a", "[a]"}}), (NameSet{"m;a=a"}));
  EXPECT_EQ(selected(index_, {{Op::kMatches, "a", "[ab]|a[b]"}}), (NameSet{"m;a=a", "m;a=b", "m;a=ab"}));
  EXPECT_EQ(selected(index_, {{Op::kMatches, "__name__", "a[.]a"}}), (NameSet{"a.a"}));
}

TEST_F(NameIndexTest, SelectsByEveryKindOfMatcher) {
  add({"up;host=x", "up;host=y;job=a", "up;job=b", "cpu.idle;host=x", "cpu.idle", "cpu.user", "a.b.c", "a.b",
       "a", "m;version=#1%20SMP", "m;%6Eame=eth0", "odd;name", "%41.b"});
  for (const char* const label :
       {"__name__", "host", "job", "__n000__", "__n001__", "version", "name", "none"}) {
    for (const char* const text :
         {"up", "cpu.idle", "x", "a", "", "#1 SMP", "eth0", "a.b.c", "odd;name", "A.b"}) {
      expect_same({{Op::kEqual, label, text}}, std::string(label) + "=" + text);
      expect_same({{Op::kNotEqual, label, text}}, std::string(label) + "!=" + text);
    }
    for (const char* const regex : {".*", ".+", "", "a|up|x", "(cpu.idle|a.b)", "c.*", ".*p", ".*u.*",
                                    "[ab]+", "a.b", "a.+c", ".*b|up"}) {
      expect_same({{Op::kMatches, label, regex}}, std::string(label) + "=~" + regex);
      expect_same({{Op::kMatchesNot, label, regex}}, std::string(label) + "!~" + regex);
    }
  }
  for (const char* const glob : {"*", "cpu.*", "*;host=*", "up*", "{a,a.b}"}) {
    expect_same({{Op::kEqual, "__graphite__", glob}}, glob);
    expect_same({{Op::kNotEqual, "__graphite__", glob}}, glob);
  }
  expect_same({{Op::kEqual, "__name__", "up"}, {Op::kNotEqual, "host", "x"}, {Op::kMatches, "job", "a|b"}},
              "three");
  expect_same({}, "none");
}

TEST_F(NameIndexTest, RefusesWhatIsNoExpression) {
  const auto all = [](std::string_view) { return true; };
  for (const char* const text :
       {"(", "a[", "(?=a)", "((a{1,100}){1,100}){1,100}", "a{1000}b{1000}c{1000}d{1000}e{1000}"}) {
    const Status done = index_.select(Matchers{{Op::kMatches, "a", text}}, all);
    ASSERT_FALSE(done) << text;
    EXPECT_EQ(done.error().code, ErrorCode::kInvalid);
    EXPECT_TRUE(done.error().message.starts_with("regular expression of a: ")) << done.error().message;
  }
  EXPECT_FALSE(index_.select(Matchers{{Op::kMatches, "__graphite__", "a"}}, all));
  EXPECT_FALSE(index_.select(Matchers{{Op::kEqual, "__graphite__", "{a"}}, all));
}

TEST_F(NameIndexTest, ListsTheTree) {
  add({"a.b.c", "a.b.d", "a.b", "a.x.c", "b.b", "c", "b", "a.t;k=v", "a.t;k=w", "c;k=v", "a.b.c;j=v"});
  const auto nodes = [&](std::string_view pattern) {
    std::string out;
    const auto list = index_.children(pattern);
    for (const TreeNode& node : *list)
      out += node.path + (node.is_leaf ? "!" : "") + (node.has_tags ? ";" : "") +
             (node.is_branch ? "/" : "") + std::to_string(node.series) + " ";
    return out;
  };
  EXPECT_EQ(nodes("*"), "a/7 b!/2 c!;2 ");
  EXPECT_EQ(nodes("a.*"), "a.b!/4 a.t;2 a.x/1 ");
  EXPECT_EQ(nodes("a.*.c"), "a.b.c!;2 a.x.c!1 ");
  EXPECT_EQ(nodes("{a,b}.b"), "a.b!/4 b.b!1 ");
  EXPECT_EQ(nodes("x.*"), "");
  EXPECT_FALSE(index_.children("a..{"));
}

TEST_F(NameIndexTest, ListsWhatIsBelowAPrefix) {
  add({"a.b.c", "a.b", "a.[*].d", "a..d", "b", "c;k=v", "{x.y;k=v"});
  const auto below = [&](std::string_view prefix) {
    std::string out;
    const auto list = index_.children_of(prefix);
    for (const TreeNode& node : *list) out += node.path + ":" + std::to_string(node.series) + " ";
    return out;
  };
  EXPECT_EQ(below(""), "a:4 b:1 c:1 {x:1 ");
  EXPECT_EQ(below("a."), "a.:1 a.[*]:1 a.b:2 ");
  EXPECT_EQ(below("a.[*]."), "a.[*].d:1 ");
  EXPECT_EQ(below("a.."), "a..d:1 ");
  EXPECT_EQ(below("{x."), "{x.y:1 ");
  EXPECT_EQ(below("*."), "");
  EXPECT_EQ(index_.children_of("a").error().code, ErrorCode::kInvalid);
  size_t nodes = 0;
  const auto three = [&](size_t) { return ++nodes <= 3 ? Status::ok() : Error{ErrorCode::kLimit, "full"}; };
  EXPECT_TRUE(index_.children_of("a.", {}, three));
  nodes = 0;
  EXPECT_EQ(index_.children_of("", {}, three).error().code, ErrorCode::kLimit);
}

// There are more pairs of parts than NodeSet has marks.
TEST_F(NameIndexTest, ListsTheTreeOfManyParts) {
  std::vector<std::string> expected;
  for (int i = 0; i < 2'100; ++i) {
    const std::string n = std::to_string(i);
    add({"a" + n + ".b" + n + ".c"});
    expected.push_back("a" + n + ".b" + n);
  }
  std::sort(expected.begin(), expected.end());
  for (const std::string pattern : {"*.*", "a*.b*", "a?.*"}) {
    std::vector<std::string> found;
    const auto list = index_.children(pattern);
    for (const TreeNode& node : *list) found.push_back(node.path);
    EXPECT_EQ(found.size(), pattern == "a?.*" ? 10U : expected.size()) << pattern;
    EXPECT_TRUE(std::includes(expected.begin(), expected.end(), found.begin(), found.end())) << pattern;
  }
}

TEST_F(NameIndexTest, FindsNamesOfOnePart) {
  for (int i = 0; i < 5'000; ++i)
    add({"n" + std::to_string(i) + std::string(static_cast<size_t>(i % 50), 'x')});
  for (const int gone : {0, 77, 4'999}) {
    index_.remove(rows_[static_cast<size_t>(gone)]);
    names_.erase("n" + std::to_string(gone) + std::string(static_cast<size_t>(gone % 50), 'x'));
  }
  for (const std::string_view pattern :
       {"*77*", "n4999*", "n1*x", "{*12,n33*}", "{*12,*}", "n0", "*xxxx", "n1?0", "*y*"}) {
    EXPECT_EQ(found(index_, pattern), filtered(names_, pattern)) << pattern;
    expect_same({{Op::kNotEqual, "__graphite__", std::string(pattern)}}, std::string(pattern));
    expect_same({{Op::kEqual, "__graphite__", std::string(pattern)}, {Op::kMatches, "__name__", "n[12].*x"}},
                "glob and path");
  }
  expect_same({{Op::kEqual, "__name__", "n100"}, {Op::kNotEqual, "none", "x"}}, "one path");
  expect_same({{Op::kEqual, "__name__", "n100"}, {Op::kEqual, "none", "x"}}, "a label that none has");
  add({"%6E5000"});
  expect_same({{Op::kEqual, "__name__", "n5000"}}, "an escape");
}

TEST_F(NameIndexTest, KeepsNamesOfAnyShape) {
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep += ".b" + std::to_string(i);
  add({deep, deep + ";k=v", std::string(kNameBytesMax, 'x'), "odd;name;", "m;b=1;a=2"});
  for (size_t i = 0; i < NameIndex::kTablesMax + 10; ++i) add({"m;key" + std::to_string(i) + "=v"});
  EXPECT_EQ(found(index_, "*"), names_);
  EXPECT_EQ(found(index_, "*b9*"), filtered(names_, "*b9*"));
  expect_same({{Op::kEqual, "k", "v"}}, "a tag of a deep name");
  expect_same({{Op::kEqual, "__n000__", "a"}}, "a part of a deep name");
  expect_same({{Op::kEqual, "key4100", "v"}}, "a key beyond the limit");
  expect_same({{Op::kEqual, "__name__", "m;b=1;a=2"}}, "tags that are not canonical");
}

TEST_F(NameIndexTest, HidesRemovedNames) {
  const std::string deep = "a" + std::string(2 * NameIndex::kPartsMax, '.');
  add({"host.gone", "gone", deep, "host.kept", "m;a=b"});
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(index_.remove(rows_[i]));
    EXPECT_FALSE(index_.remove(rows_[i])) << "twice";
  }
  EXPECT_EQ(index_.removed_count(), 3U);
  EXPECT_EQ(found(index_, "*"), (NameSet{"host.kept", "m;a=b"}));
  EXPECT_EQ(selected(index_, {{Op::kEqual, "__n000__", "host"}}), (NameSet{"host.kept"}));
}

TEST_F(NameIndexTest, StopsAtTheLimitAndWhenCancelled) {
  for (int i = 0; i < 5'000; ++i) add({"series." + std::to_string(i)});
  int visits = 0;
  EXPECT_TRUE(index_.search(*Glob::parse("series.*"), [&](std::string_view) { return ++visits < 3; }));
  EXPECT_EQ(visits, 3);
  const auto cancelled = [] { return true; };
  const auto all = [](std::string_view) { return true; };
  for (const char* const more : {"flat", "m;k=v"}) {
    EXPECT_EQ(index_.select({}, all, cancelled).error().code, ErrorCode::kBusy);
    EXPECT_FALSE(index_.label_names({}, {.is_cancelled = cancelled}));
    EXPECT_FALSE(index_.label_values("__name__", {}, {.is_cancelled = cancelled}));
    EXPECT_FALSE(index_.children("*", cancelled));
    add({more});
  }
}

// All texts of the dictionary are tried before the first row. They have no common text that could be
// searched.
TEST_F(NameIndexTest, StopsWhileItTriesAnExpressionOnManyTexts) {
  for (int i = 0; i < 50'000; ++i) add({"request;id=" + std::to_string(i)});
  const Matchers matchers = {{Op::kMatches, "id", "[0-9]+"}};
  int looks = 0;
  int visits = 0;
  const auto visit = [&](std::string_view) { return ++visits > 0; };
  const auto error = index_.select(matchers, visit, [&] { return ++looks == 4; }).error();
  EXPECT_EQ(error.code, ErrorCode::kBusy);
  EXPECT_EQ(looks, 4);
  EXPECT_EQ(visits, 0);
  EXPECT_TRUE(index_.select(matchers, visit));
  EXPECT_EQ(visits, 50'000);
}

// Enough for several segments, wide tokens, and blocks that end in the middle of a word.
TEST_F(NameIndexTest, AgreesWithAPlainListOfManyNames) {
  Texts names;
  for (size_t i = 0; i < 70'001; ++i) {
    names.push_back("dc" + std::to_string(i % 3) + ".web" + std::to_string(i % 1000) + ".n" +
                    std::to_string(i) + ".cpu" + std::to_string(i % 300));
  }
  add(names);
  for (const std::string_view pattern :
       {"dc1.*", "*.web7.*", "*n69999.*", "*.cpu299", "*7*9*", "dc2.web1?.n*", "*.web12.n7*", "*web12*",
        "*cpu*7", "*web1*n7*", "{*web7.n*,*cpu299}", "*cpu29*n*"})
    EXPECT_EQ(found(index_, pattern), filtered(names_, pattern)) << pattern;
  expect_same({{Op::kEqual, "__n003__", "cpu299"}}, "one token");
  expect_same({{Op::kNotEqual, "__n003__", "cpu299"}, {Op::kMatches, "__n001__", "web1.*"}}, "two");
  expect_same({{Op::kNotEqual, "__graphite__", "*n69*"}}, "a negated glob");
  expect_same({{Op::kMatches, "__name__", "dc1[.]web9.*"}, {Op::kMatches, "__name__", ".*cpu1"}}, "paths");
  expect_same({{Op::kMatches, "__n002__", "n1|n65536|n70000|none"}}, "a set");
}

rc::Gen<std::string> any_name() {
  const auto part = rc::gen::element<std::string>("a", "b", "ab", "web1", "x%20y", "%41", "");
  const auto parts = rc::gen::resize(3, rc::gen::nonEmpty(rc::gen::container<Texts>(part)));
  const auto value = rc::gen::element<std::string>("", "", "a", "b", "c", "ab", "~%41");
  return rc::gen::map(rc::gen::tuple(parts, value, value, value), [](const auto& drawn) {
    const auto& [path, a, key, z] = drawn;
    std::string name = path.size() == 1 ? "p" + path[0] : "p";
    if (path.size() == 3 && path[2] == "web1")
      name += std::string(NameIndex::kPartsMax, '.');  // kept as text
    for (size_t i = 0; path.size() > 1 && i < path.size(); ++i) name += "." + path[i];
    if (!a.empty()) name += ";%41=" + a;
    if (!key.empty()) name += ";%6Bey=" + key;
    if (!z.empty()) name += ";z=" + z;
    return name;
  });
}

rc::Gen<LabelMatcher> any_matcher() {
  const auto op = rc::gen::element(Op::kEqual, Op::kNotEqual, Op::kMatches, Op::kMatchesNot);
  const auto label = rc::gen::element<std::string>("__name__", "A", "key", "z", "__n000__", "__n001__",
                                                   "__n002__", "none", "__graphite__");
  const auto text = rc::gen::element<std::string>("a", "b", "", "A", "p.a", "p.web1.a", "x y", "pa", "~A");
  const auto regex = rc::gen::element<std::string>("a", "a|b", "", ".*", ".+", "a.*", ".*b", ".*1.*",
                                                   "(a|ab)", "p.a", "p.*", "[ab]+", ".*web1.*", ".*A", "pA.*",
                                                   ".*A.*", "p[.][ab]+", "a|", "a.+", "p.web1.a|p.a");
  const auto glob =
      rc::gen::element<std::string>("*", "p*", "p.*", "*a", "*.{a,b}*", "*;z=*", "*b;*", "p.[ab].?", "*web1*",
                                    "*web1.a*", "*6Bey=*", "*20y*", "{*web1*,*20y*}");
  return rc::gen::map(rc::gen::tuple(op, label, text, regex, glob), [](const auto& drawn) {
    const auto& [by, of, plain, expression, pattern] = drawn;
    const bool is_text = by == Op::kEqual || by == Op::kNotEqual;
    if (of == "__graphite__") return LabelMatcher{is_text ? by : Op::kNotEqual, of, pattern};
    return LabelMatcher{by, of, is_text ? plain : expression};
  });
}

void check_selection(const NameIndex& index, const NameSet& names) {
  const auto matchers = *rc::gen::resize(3, rc::gen::container<Matchers>(any_matcher()));
  const NameSet want = naive_select(names, matchers);
  RC_ASSERT(selected(index, matchers) == want);
  for (const char* const label : {"__name__", "A", "z", "__n000__"}) {
    std::set<std::string> values;
    for (const std::string& name : want) values.insert(naive_label(name, label));
    values.erase("");
    RC_ASSERT(*index.label_values(label, matchers, {}) == Texts(values.begin(), values.end()));
  }
}

void check_first(const NameIndex& index, const std::string& pattern, const NameSet& want, size_t limit) {
  const NameIndex::FirstNames first = index.first_names(*Glob::parse(pattern), limit);
  const auto end = std::next(want.begin(), static_cast<ptrdiff_t>(std::min(limit, want.size())));
  RC_ASSERT(first.names == Texts(want.begin(), end));
  RC_ASSERT(first.has_more == (want.size() > limit));
}

RC_GTEST_PROP(NameIndexLaws, AgreesWithAPlainList, ()) {
  NameIndex index;
  NameSet names;
  for (const std::string& name : *rc::gen::resize(80, rc::gen::container<Texts>(any_name()))) {
    const NameRow row = index.add(name);
    if (*rc::gen::weightedElement<bool>({{4, false}, {1, true}})) {
      RC_ASSERT(index.remove(row));
    } else {
      names.insert(name);
    }
  }
  for (int i = 0; i < 10; ++i) check_selection(index, names);
  const auto piece =
      rc::gen::element<std::string>("a", "b", "1", ".", "p.", "*", "*", "?", "[ab]", "{a,b}", ";z=");
  for (int i = 0; i < 10; ++i) {
    std::string pattern;
    for (const std::string& p : *rc::gen::resize(6, rc::gen::nonEmpty(rc::gen::container<Texts>(piece))))
      pattern += p;
    if (!Glob::parse(pattern)) continue;
    const NameSet want = filtered(names, pattern);
    RC_ASSERT(found(index, pattern) == want);
    check_first(index, pattern, want, *rc::gen::inRange<size_t>(0, 10));
  }
}

// Texts of so many values are tried row by row, searched for a literal, or all read.
TEST_F(NameIndexTest, MatchersOfManyOwnTextsFindWhatAListHas) {
  for (const std::string begin : {"m", "m;a=%41"}) {
    Texts names;
    for (int i = 0; i < 6'000; ++i) {
      const std::string n = std::to_string(i * 7919 % 6'000);
      names.push_back(begin + ";host=h" + std::to_string(i / 100) + ";id=" + (i % 3 == 0 ? "x" : "") + n);
    }
    add(names);
  }
  for (const bool has_escapes : {false, true}) {
    // No text is searched for a literal then.
    if (has_escapes) add({"m;host=h7;id=%3712%37"});
    expect_same({{Op::kEqual, "host", "h7"}, {Op::kMatches, "id", ".*12.*"}}, "few rows");
    expect_same({{Op::kMatches, "id", ".*99.*"}}, "all rows");
    expect_same({{Op::kNotEqual, "host", "h7"}, {Op::kMatches, "id", "x.*1[23]4"}}, "most rows");
    expect_same({{Op::kMatches, "host", "h1.*"}, {Op::kMatchesNot, "id", ".*5.*"}}, "negated, frequent");
    expect_same({{Op::kMatches, "host", "h5.*"}, {Op::kMatchesNot, "id", ".*57.*"}}, "negated");
    expect_same({{Op::kMatches, "id", ".*7"}, {Op::kMatches, "id", "1.*"}}, "a label twice");
    expect_same({{Op::kMatches, "id", "[x1].*9+"}, {Op::kMatches, "host", "h[12]."}}, "no literal");
    for (const char* const pattern : {"*77*", "*x*", "*h1*", "*99", "*{77*,*12*}", "*host*", "*9;*"})
      EXPECT_EQ(found(index_, pattern), filtered(names_, pattern)) << pattern;
  }
}

}  // namespace
}  // namespace statmill

// The canonical spelling of a name: a table, and its laws for any spelling.
#include "proto/canonical_name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "proto/added_tags.h"
#include "proto/name_escapes.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/generated_text.h"
#include "tests/proto/tag_laws.h"

namespace statmill {
namespace {

std::string spelled(std::string_view text, std::string_view added = {}) {
  Batch batch;
  std::string_view name;
  const auto tags = AddedTags::read(added);
  EXPECT_TRUE(tags) << added;
  const auto verdict = spell_name(text, *tags, batch, name);
  return verdict.is_refused() ? "refused " + std::string(refusal_label(verdict.reason())) : std::string(name);
}

TEST(CanonicalName, HasSortedTagsAndTheShortestEscapes) {
  struct Case {
    std::string text;
    std::string name;
    std::string why;
  };
  const std::vector<Case> table = {
      {"a.b", "a.b", "a path"},
      {"A/b:c^d,*", "A/b:c^d,*", "other bytes stay"},
      {"a;t=1;s=2", "a;s=2;t=1", "sorted"},
      {"a b;k=x y", "a%20b;k=x%20y", "blanks"},
      {"~a;~k=~v", "%7Ea;%7Ek=%7Ev", "a leading ~"},
      {"a;name=x", "a;%6Eame=x", "the key that means the path"},
      {"a;k!^=x=y", "a;k%21%5E=x=y", "a key has more forbidden bytes"},
      {"a%2fb%3b%7e;%6bey=%61", "a/b%3B~;key=a", "escapes that are not needed"},
      {"a%2541%2", "a%2541%2", "a % before two hex digits"},
      {"a%C3%A4%FF", "a\xc3\xa4%FF", "UTF-8 as escapes, and a byte that is none"},
      {"a%0a", "a%0A", "a control byte as an escape"},
      {"a;k=\xc3\xa4;b=1", "a;b=1;k=\xc3\xa4", "UTF-8"},
      {"a;k=1;k=1", "a;k=1", "a repeated pair"},
      {"", "refused empty_name", ""},
      {";k=v", "refused empty_name", ""},
      {"a;", "refused bad_tag", ""},
      {"a;k", "refused bad_tag", ""},
      {"a;=v", "refused bad_tag", ""},
      {"a;k=1;%6b=2", "refused duplicate_tag", "two spellings of a key"},
      {"a\n", "refused bad_name", "a control byte"},
      {"a\xc2\x9b", "refused bad_name", "C1"},
      {"a%E2%80%AE", "refused bad_name", "a hidden character as an escape"},
      {"a\xff", "refused bad_name", "not UTF-8"},
      {std::string(kNameBytesMax, '~'), "refused name_too_long", "too long when it is escaped"},
  };
  for (const Case& c : table) {
    EXPECT_EQ(spelled(c.text), c.name) << c.text << ": " << c.why;
    EXPECT_EQ(spelled_name(c.text).has_value(), !c.name.starts_with("refused")) << c.text;
  }
}

TEST(CanonicalName, IsBoundedBySpellingAndResult) {
  std::string escapes;
  for (size_t i = 0; i < kNameBytesMax; ++i) escapes += "%61";
  EXPECT_EQ(spelled(escapes), std::string(kNameBytesMax, 'a')) << "the longest spelling";
  EXPECT_EQ(spelled(escapes + "%"), "refused name_too_long");
}

TEST(CanonicalName, GetsTheTagsThatItDoesNotHave) {
  EXPECT_EQ(spelled("a", "dc=eu;host=w"), "a;dc=eu;host=w");
  EXPECT_EQ(spelled("a;z=1;b=2", "dc=eu;host=w"), "a;b=2;dc=eu;host=w;z=1");
  EXPECT_EQ(spelled("a;host=own", "dc=eu;host=w"), "a;dc=eu;host=own") << "its own tag wins";
  EXPECT_EQ(spelled("a;%68ost=own", "host=w"), "a;host=own") << "in any spelling";
  std::string most = "a";
  for (size_t i = 0; i < kTagsMax; ++i) most += ";k" + std::to_string(i) + "=v";
  EXPECT_EQ(spelled(most, "host=w"), "refused tag_limit");
}

TEST(AddedTags, AreReadOnlyInCanonicalForm) {
  for (const std::string_view good : {"", "a=1", "a=1;b=%20", "%6Eame=x", "a=\xc3\xa4"})
    EXPECT_TRUE(AddedTags::read(good)) << good;
  for (const std::string_view bad :
       {";", "a", "a=", "=1", "b=1;a=1", "a=1;a=1", "a=1;", "name=x", "a=%41", "a=~", "a=\xc2\x80", "a= b"})
    EXPECT_FALSE(AddedTags::read(bad)) << bad;
}

rc::Gen<std::string> any_spelling() {
  return texts_of(rc::gen::element<std::string>("a", "b", "k", "name", "longkey.1", "longkey.2", "%", "4",
                                                "F", "%41", "%6e", "%3B", "%e2%80%8b", "%C3%A4", "~", ";",
                                                "=", "!", "^", " ", "$", ".", "/", "A", "\xc3\xa4", "\xff",
                                                "\x07", "\xe2\x80\x8b"));
}

// A tag-like text, so that most have an accepted spelling.
rc::Gen<std::string> likely_name() {
  const auto tag = rc::gen::map(
      rc::gen::pair(
          rc::gen::element<std::string>("a", "host", "longkey.1", "longkey.2", "n%61me", "~", "%6B", "B!"),
          rc::gen::element<std::string>("1", "%31", "x y", "~v", "%zz", "$", "\xc3\xa4")),
      [](const auto& pair) { return ";" + pair.first + "=" + pair.second; });
  return rc::gen::map(
      rc::gen::pair(rc::gen::element<std::string>("m", "A/b", "~x", "a%20b", "%41"), texts_of(tag)),
      [](const auto& pair) { return pair.first + pair.second; });
}

RC_GTEST_PROP(CanonicalName, AnySpellingHasOneCanonicalSpelling, ()) {
  const std::string text = *rc::gen::oneOf(any_spelling(), likely_name());
  const auto name = spelled_name(text);
  if (!name) return;
  RC_ASSERT(is_canonical_name(*name));
  RC_ASSERT(*spelled_name(*name) == *name);
  if (is_plainly_canonical(text)) RC_ASSERT(*name == text);
}

// The parts of a name in other escapes, and its tags in another order, are the same name.
RC_GTEST_PROP(CanonicalName, SpellingsOfOneTextAreOneName, ()) {
  const auto name = spelled_name(*likely_name());
  if (!name) return;  // two values for one tag
  std::vector<std::string> parts;
  for (const std::string_view part : split(*name, ';')) parts.emplace_back(part);
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) std::swap(parts[i], parts[*rc::gen::inRange(i, parts.size())]);
    if (i > 0) text += ';';
    const size_t assign = i == 0 ? std::string::npos : parts[i].find('=');
    for (size_t at = 0; at < parts[i].size(); ++at) {
      const char c = parts[i][at];
      const bool is_bare = at == assign || c == '%' || static_cast<signed char>(c) < 0;
      const bool is_in_escape = (at >= 1 && parts[i][at - 1] == '%') || (at >= 2 && parts[i][at - 2] == '%');
      if (is_bare || is_in_escape || *rc::gen::arbitrary<bool>()) {
        text += c;
      } else {
        constexpr std::string_view kDigits = "0123456789abcdef";
        text += '%';
        text += kDigits[static_cast<uint8_t>(c) >> 4];
        text += kDigits[static_cast<uint8_t>(c) & 15];
      }
    }
  }
  RC_ASSERT(*spelled_name(text) == *name);
}

RC_GTEST_PROP(NameEscapes, AreUndoneByReading, ()) {
  const std::string text = *rc::gen::arbitrary<std::string>();
  for (const NamePart part : {NamePart::kPath, NamePart::kKey, NamePart::kValue}) {
    RC_ASSERT(unescaped(escaped(text, part)) == text);
    RC_ASSERT(escaped(unescaped(escaped(text, part)), part) == escaped(text, part));
  }
}

RC_GTEST_PROP(AddedTags, TheFastWayAgreesWithTheSlowOne, ()) {
  const std::string name = *likely_name();
  const std::string added =
      *rc::gen::element<std::string>("", "host=w", "a=2;dc=eu;longkey.1=z", "longkey.15=q");
  const auto tags = AddedTags::read(added);
  RC_ASSERT(tags.has_value());
  const size_t path_size = name.find(';');
  RC_PRE(is_plainly_canonical(name.substr(0, path_size)));
  const std::string own = path_size == std::string::npos ? std::string() : name.substr(path_size + 1);
  Batch batch;
  const std::string fast(tags->name(name.substr(0, path_size), own, batch));
  if (!fast.empty()) RC_ASSERT(fast == spelled(name, added));
}

}  // namespace
}  // namespace statmill

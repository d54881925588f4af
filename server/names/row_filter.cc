#include "server/names/row_filter.h"

#include <algorithm>

#include "base/text.h"
#include "proto/name_escapes.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/name_labels.h"

namespace statmill {
namespace {

constexpr std::string_view kGlobLabel = "__graphite__";

// Returns true if a path with this text in it has these bytes, unless one of them is a needless %XX.
bool has_one_form(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < '~' && c != '%' && c != ';'; });
}

std::string plain(std::string_view text) { return has_escape(text) ? unescaped(text) : std::string(text); }

bool accepts_token(const TokenDictionary& dictionary, const ValueTest& test, Token token) {
  const std::string_view text = dictionary.text(token);
  return dictionary.has_escapes() && has_escape(text) ? test.accepts(unescaped(text)) : test.accepts(text);
}

// Returns a text that the tokens contain which match, before negation, unless it is no help to search for it.
std::optional<std::string> rare_literal(const TokenDictionary& dictionary, const ValueTest& test) {
  const auto literal = test.literal();
  if (!literal || dictionary.has_escapes() || dictionary.is_frequent(literal->text)) return std::nullopt;
  return literal->text;
}

}  // namespace

std::optional<size_t> column_of(const NameTable& table, std::string_view label) {
  if (label == kNameLabel) return table.parts() == 1 ? std::optional<size_t>(0) : std::nullopt;
  if (const auto part = part_number(label)) return *part < table.parts() ? part : std::nullopt;
  for (size_t i = 0; i < table.keys().size(); ++i) {
    const std::string& key = table.keys()[i];
    if (key == label || (has_escape(key) && unescaped(key) == label)) return table.parts() + i;
  }
  return std::nullopt;
}

RowFilter::RowFilter() : all_(*Glob::parse("*")) {}

Result<RowFilter> RowFilter::parse(std::span<const LabelMatcher> matchers) {
  using Op = LabelMatcher::Op;
  RowFilter filter;
  for (const LabelMatcher& from : matchers) {
    if (from.label != kGlobLabel) {
      auto test = ValueTest::parse(from);
      if (!test) return test.error();
      Matcher& to = filter.matchers_.emplace_back();
      to.label = from.label;
      to.test.emplace(std::move(*test));
      continue;
    }
    if (from.op != Op::kEqual && from.op != Op::kNotEqual)
      return Error{ErrorCode::kInvalid, "__graphite__ takes a glob: = or !="};
    auto glob = Glob::parse(from.value);
    if (!glob) return glob.error();
    filter.add_glob(std::move(*glob), from.op == Op::kNotEqual);
  }
  filter.choose_prefilters();
  return filter;
}

RowFilter RowFilter::of(const Glob& glob) {
  RowFilter filter;
  filter.add_glob(glob, false);
  filter.choose_prefilters();
  return filter;
}

void RowFilter::add_glob(Glob glob, bool is_negated) {
  Matcher& to = matchers_.emplace_back();
  to.glob = std::make_unique<const Glob>(std::move(glob));
  to.filter = std::make_unique<GlobFilter>(*to.glob);
  to.is_negated = is_negated;
}

void RowFilter::choose_prefilters() {
  for (size_t i = 0; i < matchers_.size(); ++i) {
    const Matcher& matcher = matchers_[i];
    if (matcher.glob != nullptr) {
      if (!matcher.is_negated) glob_tried_ = i;
      continue;
    }
    if (matcher.label != kNameLabel || matcher.test->is_negated()) continue;
    const auto literal = matcher.test->literal();
    if (!literal) continue;
    const bool is_whole = literal->at_start && literal->at_end;
    // A part of a path is stored as it is only if none of its bytes may be escaped.
    if (!is_whole && !has_one_form(literal->text)) continue;
    const std::string text = escaped_path(literal->text);
    if (Glob::is_pattern(text) || text.find_first_of(",}") != std::string::npos) continue;
    const std::string begin = (literal->at_start ? "" : "*") + text;
    auto flat = Glob::parse(begin + (literal->at_end ? "" : "*"));
    auto any = Glob::parse(begin + (literal->at_end ? "{,;*}" : "*"));
    if (!flat || !any) continue;
    flat_path_ = std::make_unique<const Glob>(std::move(*flat));
    path_ = std::make_unique<const Glob>(std::move(*any));
    path_filter_ = is_whole ? nullptr : std::make_unique<GlobFilter>(*path_);
  }
}

const Glob& RowFilter::flat_prefilter(bool are_canonical) const {
  if (glob_tried_ != SIZE_MAX) return *matchers_[glob_tried_].glob;
  return flat_path_ && are_canonical ? *flat_path_ : all_;
}

const Glob& RowFilter::prefilter(bool are_canonical) const {
  if (glob_tried_ != SIZE_MAX) return *matchers_[glob_tried_].glob;
  return path_ && are_canonical ? *path_ : all_;
}

bool RowFilter::begin_flat() {
  flat_.clear();
  for (size_t i = 0; i < matchers_.size(); ++i) {
    const Matcher& matcher = matchers_[i];
    if (i == glob_tried_) continue;
    if (matcher.glob != nullptr || matcher.label == kNameLabel || part_number(matcher.label) == size_t{0}) {
      flat_.push_back(&matcher);
    } else if (!matcher.test->accepts("")) {
      return false;
    }
  }
  return true;
}

bool RowFilter::accepts_flat(std::string_view name) const {
  return std::all_of(flat_.begin(), flat_.end(), [name](const Matcher* matcher) {
    if (matcher->glob != nullptr) return matcher->glob->matches(name) != matcher->is_negated;
    return has_escape(name) ? matcher->test->accepts(unescaped(name)) : matcher->test->accepts(name);
  });
}

bool RowFilter::accepts(std::string_view name) const {
  const NameParts parts = parts_of(name);
  const LabelPairs labels = labels_of(name);
  return std::all_of(matchers_.begin(), matchers_.end(), [&](const Matcher& matcher) {
    if (matcher.glob != nullptr) return matcher.glob->matches(name) != matcher.is_negated;
    if (const auto part = part_number(matcher.label)) {
      const std::vector<std::string_view> texts = split(parts.path, '.');
      return matcher.test->accepts(*part < texts.size() ? plain(texts[*part]) : std::string());
    }
    const auto found = std::find_if(labels.begin(), labels.end(),
                                    [&](const LabelPair& label) { return label.first == matcher.label; });
    return matcher.test->accepts(found == labels.end() ? std::string_view() : found->second);
  });
}

// Returns nullopt if it was cancelled.
std::optional<TokenSet> RowFilter::find_tokens(const TokenDictionary& dictionary, const ValueTest& test,
                                               const IsCancelled& is_cancelled) {
  const Token count = dictionary.count();
  const bool has_escapes = dictionary.has_escapes();
  TokenSet set;
  if (test.is_set() && !has_escapes) {
    std::vector<Token> found;
    for (const std::string& text : test.set()) {
      const Token token = dictionary.find(text);
      if (token < count) found.push_back(token);
    }
    using Form = TokenSet::Form;
    if (found.empty()) set.form = test.is_negated() ? Form::kAll : Form::kNone;
    if (found.size() == 1) set = {test.is_negated() ? Form::kAllButOne : Form::kOne, found[0], {}};
    if (found.size() <= 1) return set;
    set.is_in.assign(count, test.is_negated() ? 1 : 0);
    for (const Token token : found) set.is_in[token] ^= 1;
    set.form = Form::kSome;
    return set;
  }
  bool is_ended = false;
  const auto accepts = [&](Token token) {
    is_ended = is_ended || !meter_.allows(test, dictionary.text(token), is_cancelled);
    return !is_ended && accepts_token(dictionary, test, token);
  };
  if (const auto literal = rare_literal(dictionary, test)) {
    set.is_in.assign(count, test.is_negated() ? 1 : 0);
    dictionary.for_each_with(*literal, [&](Token token) {
      if (token < count) set.is_in[token] = accepts(token) ? 1 : 0;
    });
  } else {
    set.is_in.reserve(count);
    for (Token token = 0; token < count && !is_ended; ++token) set.is_in.push_back(accepts(token) ? 1 : 0);
  }
  if (is_ended) return std::nullopt;
  const auto accepted = std::count(set.is_in.begin(), set.is_in.end(), 1);
  set.form = accepted == 0 ? TokenSet::Form::kNone : TokenSet::Form::kSome;
  if (static_cast<size_t>(accepted) == count) set.form = TokenSet::Form::kAll;
  return set;
}

bool RowFilter::begin_table(const NameTable& table, const IsCancelled& is_cancelled) {
  columns_.clear();
  paths_.clear();
  uses_path_filter_ = false;
  globs_.clear();
  parts_.clear();
  for (Matcher& matcher : matchers_) {
    if (!add_matcher(table, matcher, is_cancelled)) return false;
  }
  // What is cheap comes first.
  const auto cost = [](const ColumnStep& step) -> size_t {
    if (!step.tokens->is_known) return 2 + size_t{step.dictionary->count()};
    return step.tokens->set.form == TokenSet::Form::kOne ? 0 : 1;
  };
  std::stable_sort(columns_.begin(), columns_.end(),
                   [cost](const ColumnStep& a, const ColumnStep& b) { return cost(a) < cost(b); });
  // All rows come to the first step.
  const bool needs_all = !columns_.empty() && table.row_count() > columns_[0].dictionary->count() / 4;
  return !needs_all || know_tokens(columns_[0], is_cancelled);
}

// Returns false if it was cancelled.
bool RowFilter::know_tokens(const ColumnStep& step, const IsCancelled& is_cancelled) {
  if (step.tokens->is_known) return true;
  std::optional<TokenSet> found = find_tokens(*step.dictionary, *step.test, is_cancelled);
  if (!found) return false;
  step.tokens->set = *std::move(found);
  step.tokens->is_known = true;
  return true;
}

// Returns false if no row can satisfy the matcher, or it was cancelled.
bool RowFilter::add_column(const NameTable& table, size_t column, Matcher& matcher,
                           const IsCancelled& is_cancelled) {
  constexpr Token kFew = 1024;
  const TokenDictionary& dictionary = table.dictionary(column);
  const ColumnStep step{column, &dictionary, &matcher.tokens[&dictionary], &*matcher.test};
  const bool is_cheap = dictionary.count() <= kFew || matcher.test->is_set();
  if (is_cheap && !know_tokens(step, is_cancelled)) return false;
  const bool is_known = step.tokens->is_known;
  if (!is_known) step.tokens->has_literal = rare_literal(dictionary, *matcher.test).has_value();
  if (is_known && step.tokens->set.form == TokenSet::Form::kNone) return false;
  if (!is_known || step.tokens->set.form != TokenSet::Form::kAll) columns_.push_back(step);
  return true;
}

bool RowFilter::add_matcher(const NameTable& table, Matcher& matcher, const IsCancelled& is_cancelled) {
  if (matcher.glob != nullptr) {
    globs_.push_back(&matcher);
    return true;
  }
  if (const auto column = column_of(table, matcher.label))
    return add_column(table, *column, matcher, is_cancelled);
  if (matcher.label == kNameLabel) return add_path_matcher(table, matcher);
  return matcher.test->accepts("");
}

// Returns false if no row can satisfy the matcher.
bool RowFilter::add_path_matcher(const NameTable& table, Matcher& matcher) {
  if (matcher.test->accepts_all()) return true;
  bool has_escapes = false;
  for (size_t c = 0; c < table.parts(); ++c) has_escapes = has_escapes || table.dictionary(c).has_escapes();
  if (has_escapes || !matcher.test->is_set() || matcher.test->is_negated()) {
    paths_.push_back(&matcher);
    uses_path_filter_ = path_filter_ != nullptr && !has_escapes;
    return true;
  }
  // These wanted paths are of rows that may exist.
  std::vector<std::vector<Token>> paths;
  for (const std::string& path : matcher.test->set()) {
    const std::vector<std::string_view> texts = split(path, '.');
    if (path.empty() || texts.size() != table.parts()) continue;
    std::vector<Token> tokens;
    for (size_t c = 0; c < texts.size(); ++c) tokens.push_back(table.dictionary(c).find(texts[c]));
    if (std::find(tokens.begin(), tokens.end(), TokenDictionary::kNone) == tokens.end())
      paths.push_back(std::move(tokens));
  }
  if (paths.empty()) return false;
  for (size_t c = 0; c < table.parts(); ++c) {
    Tokens& tokens = *parts_.emplace_back(std::make_unique<Tokens>());
    tokens.is_known = true;
    TokenSet& set = tokens.set;
    set.form = TokenSet::Form::kOne;
    set.token = paths[0][c];
    for (const std::vector<Token>& path : paths) {
      if (path[c] == set.token) continue;
      if (set.form == TokenSet::Form::kOne) {
        set.form = TokenSet::Form::kSome;
        set.is_in.assign(table.dictionary(c).count(), 0);
        set.is_in[set.token] = 1;
      }
      set.is_in[path[c]] = 1;
    }
    columns_.push_back({c, &table.dictionary(c), &tokens, nullptr});
  }
  if (paths.size() > 1) paths_.push_back(&matcher);
  return true;
}

void RowFilter::keep_column(const NameBlock& block, const ColumnStep& step, RowBits& bits,
                            const IsCancelled& is_cancelled) {
  Tokens& tokens = *step.tokens;
  if (!tokens.is_known) {
    // A text of one row takes as long as many that are searched for a literal: it is not in the cache.
    const size_t weight = tokens.has_literal ? 16 : 4;
    tokens.texts_tried += count_rows(bits);
    if (weight * tokens.texts_tried > step.dictionary->count() && !know_tokens(step, is_cancelled)) return;
  }
  if (tokens.is_known) return keep_tokens(block, step.column, tokens.set, bits);
  bool is_ended = false;
  keep_rows(bits, [&](uint32_t row) {
    const Token token = block.segment.token(step.column, block.begin + row);
    is_ended = is_ended || !meter_.allows(*step.test, step.dictionary->text(token), is_cancelled);
    return !is_ended && accepts_token(*step.dictionary, *step.test, token);
  });
}

void RowFilter::keep(const NameBlock& block, RowBits& bits, const IsCancelled& is_cancelled) {
  for (const ColumnStep& step : columns_) {
    if (has_rows(bits)) keep_column(block, step, bits, is_cancelled);
  }
  if (uses_path_filter_ && has_rows(bits)) path_filter_->keep(block, bits);
  bool is_ended = false;
  for (const Matcher* const matcher : paths_) {
    keep_rows(bits, [&](uint32_t row) {
      if (is_ended) return false;
      text_.clear();
      block.table.append_path(block.first_row + row, text_);
      is_ended = !meter_.allows(*matcher->test, text_, is_cancelled);
      return !is_ended && matcher->test->accepts(plain(text_));
    });
  }
  for (Matcher* const matcher : globs_) {
    if (has_rows(bits)) matcher->filter->keep(block, bits, matcher->is_negated);
  }
}

}  // namespace statmill

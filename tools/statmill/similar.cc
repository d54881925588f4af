#include "tools/statmill/similar.h"

#include <algorithm>
#include <vector>

#include "tools/statmill/answer.h"
#include "tools/statmill/parse_json.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr size_t kWordsMax = 8;  // as many as the server looks for
constexpr size_t kSearchedBytesMax = 256;
constexpr const char* kNamesMax = "3";

std::vector<std::string> words_of(std::string_view name) {
  constexpr std::string_view kBetweenWords = ".;=*?[]{},/:\\\"~ ";
  std::vector<std::string> words;
  while (words.size() < kWordsMax) {
    name.remove_prefix(std::min(name.find_first_not_of(kBetweenWords), name.size()));
    if (name.empty()) break;
    words.emplace_back(name.substr(0, name.find_first_of(kBetweenWords)));
    name.remove_prefix(words.back().size());
  }
  return words;
}

// Returns the names in an answer to a search.
std::vector<std::string> names_of(std::string_view answer) {
  boost::system::error_code error;
  const json::value document = parse_json(answer, error);
  const auto field = [](const json::value& of, const char* name) {
    const json::object* object = of.if_object();
    const json::value* value = object != nullptr ? object->if_contains(name) : nullptr;
    return value != nullptr ? *value : json::value();
  };
  std::vector<std::string> names;
  const json::value series = field(document, "series");
  if (!series.is_array()) return names;
  for (const json::value& one : series.get_array()) {
    const json::value name = field(one, "name");
    if (name.is_string()) names.emplace_back(name.get_string());
  }
  return names;
}

// Returns the names that have all words except number `left_out`.
std::vector<std::string> find(const Client& client, const std::vector<std::string>& words, size_t left_out) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != left_out) text.append(text.empty() ? "" : " ").append(words[i]);
  }
  if (text.empty()) return {};
  const Result<HttpAnswer> answer = client.get("/api/v1/search", {{"q", text}, {"limit", kNamesMax}});
  if (!answer || answer->status != 200) return {};
  return names_of(answer->body);
}

}  // namespace

std::string similar_series(const Client& client, std::span<const std::string> names) {
  if (names.size() != 1 || names.front().size() > kSearchedBytesMax) return {};
  const std::vector<std::string> words = words_of(names.front());
  std::vector<std::string> found = find(client, words, words.size());
  // The last part of a path says most, so it is left out last.
  for (size_t i = 0; found.empty() && i < words.size(); ++i) found = find(client, words, i);
  std::string out;
  for (size_t i = 0; i < found.size(); ++i) out.append(i == 0 ? "; similar: " : ", ").append(found[i]);
  return out;
}

std::string no_series_message(const Client& client, std::span<const std::string> names) {
  return "statmill: no series matches" + similar_series(client, names) + "\n";
}

Outcome query_outcome(const HttpAnswer& answer, const CommandLine& line) {
  Outcome out = query_outcome(answer);
  if (answer.status != 404 || !out.messages.ends_with('\n')) return out;
  out.messages.insert(out.messages.size() - 1, similar_series(line.client(), line.operands()));
  return out;
}

}  // namespace statmill

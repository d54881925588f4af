#include "tests/architecture/prose.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>

namespace statmill {
namespace {

// Each has a plainer word: reported, encoded, known; read, accepted; again; next to; after; is; also.
constexpr std::array kBannedWords = {
    std::string_view("told"),     std::string_view("foretold"), std::string_view("foretell"),
    std::string_view("taken"),    std::string_view("anew"),     std::string_view("beside"),
    std::string_view("besides"),  std::string_view("behind"),   std::string_view("whoever"),
    std::string_view("likewise"), std::string_view("stand"),    std::string_view("stands"),
    std::string_view("stood"),    std::string_view("befall"),   std::string_view("befalls"),
    std::string_view("wherein"),  std::string_view("thereof"),
};

// Where a banned word is the field's own.
constexpr std::array kAllowedUses = {
    std::string_view("behind a proxy"),          // a place in a network
    std::string_view("behind a reverse proxy"),  // the same
    std::string_view("behind_s"),                // a metric: seconds that an agent lags
    std::string_view("stand-in"),                // a test double
    std::string_view("stands for"),              // of letters and signs in a format
};

// A sentence that opens like this has no subject: "Of each series, the newest.", "None when the bytes are
// damaged."
constexpr std::array kBannedOpenings = {
    std::string_view("Of "),        std::string_view("None when "), std::string_view("None if "),
    std::string_view("Null when "), std::string_view("Null if "),   std::string_view("Whether "),
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

void erase_all(std::string& text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

std::vector<std::string> banned_words_of(std::string_view text) {
  std::string rest = lower(text);
  for (const std::string_view use : kAllowedUses) erase_all(rest, use);
  std::vector<std::string> found;
  std::string word;
  for (const char c : rest + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (std::find(kBannedWords.begin(), kBannedWords.end(), word) != kBannedWords.end())
      found.push_back(word);
    word.clear();
  }
  return found;
}

// The openings of the text's sentences; `is_start` says whether the text itself begins one.
std::vector<std::string> banned_openings_of(std::string_view text, bool is_start) {
  std::vector<std::string> found;
  const auto look = [&](std::string_view sentence) {
    for (const std::string_view opening : kBannedOpenings) {
      if (sentence.starts_with(opening)) found.emplace_back(opening.substr(0, opening.size() - 1));
    }
  };
  if (is_start) look(text);
  for (size_t at = text.find(". "); at != std::string_view::npos; at = text.find(". ", at + 2))
    look(text.substr(at + 2));
  return found;
}

// The prose of one line, and whether a sentence may begin with it.
struct Prose {
  std::string text;
  bool is_start = true;
};

// Reads the lines of one file in order.
class ProseReader {
 public:
  explicit ProseReader(bool is_document) : is_document_(is_document) {}

  Prose next(std::string_view line) {
    Prose prose = is_document_ ? of_document(line) : of_source(line);
    ends_ = prose.text.empty() || prose.text.ends_with('.') || prose.text.ends_with(':');
    return prose;
  }

 private:
  Prose of_source(std::string_view line) {
    const size_t code = line.find_first_not_of(" \t");
    if (code == std::string_view::npos) return {};
    if (line.substr(code).starts_with("//")) return {trimmed(line.substr(code + 2)), ends_};
    const size_t comment = line.find("  // ");  // after code, as clang-format sets it
    if (comment == std::string_view::npos) return {};
    return {trimmed(line.substr(comment + 5)), true};
  }

  Prose of_document(std::string_view line) {
    if (line.starts_with("```")) is_in_code_ = !is_in_code_;
    if (is_in_code_ || line.starts_with("```")) return {};
    std::string text;
    bool is_code = false;
    for (const char c : line) {
      if (c == '`') is_code = !is_code;
      if (!is_code) text += c;
    }
    const size_t mark = text.find_first_not_of("#>|*- 0123456789.");
    const bool has_mark = mark != 0;
    return {mark == std::string::npos ? std::string() : trimmed(text.substr(mark)), has_mark || ends_};
  }

  static std::string trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
  }

  const bool is_document_;
  bool is_in_code_ = false;
  bool ends_ = true;  // the line before ended a sentence
};

}  // namespace

std::vector<SourceFile> read_documents(const std::filesystem::path& root) {
  std::vector<SourceFile> out;
  const auto read = [&](const std::filesystem::path& path) {
    if (path.extension() != ".md") return;
    SourceFile file{.path = path.lexically_relative(root).string(), .lines = {}};
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) file.lines.push_back(line);
    out.push_back(std::move(file));
  };
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file()) read(entry.path());
    // What is built or fetched there is not ours.
    if (!entry.is_directory() || name.starts_with('.') || name == "build" || name == "var" ||
        name == "node_modules") {
      continue;
    }
    for (const auto& inner : std::filesystem::recursive_directory_iterator(entry.path())) {
      if (inner.is_regular_file()) read(inner.path());
    }
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return out;
}

std::vector<std::string> check_prose(const std::vector<SourceFile>& files) {
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    ProseReader reader(file.path.ends_with(".md"));
    for (size_t i = 0; i < file.lines.size(); ++i) {
      const Prose prose = reader.next(file.lines[i]);
      const std::string place = file.path + ":" + std::to_string(i + 1) + ": ";
      for (const std::string& word : banned_words_of(prose.text)) {
        faults.push_back(place + "the word \"" + word + "\" has a plainer one (docs/style.md)");
      }
      for (const std::string& opening : banned_openings_of(prose.text, prose.is_start)) {
        faults.push_back(place + "a sentence that opens with \"" + opening + "\" has no subject");
      }
    }
  }
  return faults;
}

}  // namespace statmill

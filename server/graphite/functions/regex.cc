#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "server/graphite/functions/common.h"
#include "server/names/value_test.h"

namespace statmill::graphite {
namespace {

constexpr size_t kReplacedBytesMax = size_t{16} << 10;
constexpr size_t kRewriteBytesMax = size_t{1} << 20;  // of one match

// Returns what of a regular expression of Python is not in RE2; an empty text if nothing is known.
std::string_view unsupported(std::string_view regex) {
  for (const std::string_view look : {"(?=", "(?!", "(?<=", "(?<!"}) {
    if (regex.find(look) != std::string_view::npos) return "look-around";
  }
  for (size_t i = 0; i + 1 < regex.size(); ++i) {
    if (regex[i] != '\\') continue;
    if (regex[i + 1] >= '1' && regex[i + 1] <= '9') return "a back-reference";
    ++i;
  }
  return {};
}

// Writes `\g<1>` as `\1`, which RE2 knows.
std::string rewrite_of(std::string_view replacement) {
  std::string out;
  for (size_t i = 0; i < replacement.size(); ++i) {
    const std::string_view rest = replacement.substr(i);
    if (rest.starts_with("\\g<") && rest.size() > 4 && rest[3] >= '0' && rest[3] <= '9' && rest[4] == '>') {
      out.append("\\").append(1, rest[3]);
      i += 4;
    } else {
      out += replacement[i];
      if (replacement[i] == '\\' && i + 1 < replacement.size()) out += replacement[++i];
    }
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<re2::RE2>> compiled_regex(const Call& call, std::string_view regex) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{ValueTest::kInstructionsMax} * 16 * 16);
  auto out = std::make_unique<re2::RE2>(re2::StringPiece(regex.data(), regex.size()), options);
  if (out->ok()) return out;
  const std::string_view why = unsupported(regex);
  if (!why.empty())
    return call.error("the regular expression has " + std::string(why) + ", which is not supported");
  return call.error("the regular expression is not valid: " + out->error());
}

Result<std::string> replaced(const Call& call, const re2::RE2& regex, std::string_view text,
                             std::string_view replacement) {
  const std::string rewrite = rewrite_of(replacement);
  std::string why;
  if (!regex.CheckRewriteString(rewrite, &why)) return call.error("the replacement is not valid: " + why);
  const auto references = static_cast<size_t>(std::ranges::count(rewrite, '\\'));
  if (references * text.size() + rewrite.size() > kRewriteBytesMax)
    return call.error("the replacement is too long");
  std::vector<re2::StringPiece> groups(static_cast<size_t>(regex.NumberOfCapturingGroups()) + 1);
  std::string out;
  size_t copied = 0;  // bytes of the text that are in `out`
  for (size_t at = 0; at <= text.size();) {
    if (!regex.Match(re2::StringPiece(text.data(), text.size()), at, text.size(), re2::RE2::UNANCHORED,
                     groups.data(), static_cast<int>(groups.size())))
      break;
    const auto begin = static_cast<size_t>(groups[0].data() - text.data());
    const size_t end = begin + groups[0].size();
    out.append(text.substr(copied, begin - copied));
    regex.Rewrite(&out, rewrite, groups.data(), static_cast<int>(groups.size()));
    if (out.size() > kReplacedBytesMax)
      return call.error("a name has more than " + std::to_string(kReplacedBytesMax) + " bytes");
    copied = end;
    at = end > begin ? end : end + 1;
    if (end == begin && end < text.size()) {
      out += text[end];
      ++copied;
    }
  }
  if (copied < text.size()) out.append(text.substr(copied));
  return out;
}

}  // namespace statmill::graphite

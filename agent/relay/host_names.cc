#include "agent/relay/host_names.h"

#include "base/text.h"
#include "proto/istatd/parser.h"
#include "proto/normal_name.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

Error invalid(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + std::string(text) + "\" " + std::string(why)};
}

}  // namespace

Result<HostNames> HostNames::parse(const std::string& tags, const std::string& carets) {
  HostNames out;
  Batch batch;
  TagList list;
  for (const std::string_view tag : split(tags, ',')) {
    const size_t assign = tag.find('=');
    if (assign == std::string_view::npos) return invalid(tag, "is not of the form key=value");
    const std::string_view key = tag.substr(0, assign);
    const std::string_view value = tag.substr(assign + 1);
    if (!is_clean_text(tag) || list.add(key, value, batch).is_refused())
      return invalid(tag, "cannot be a tag together with the others");
    out.tags_.push_back({std::string(key), std::string(value)});
  }
  if (carets.empty()) return out;
  for (size_t begin = 0; begin <= carets.size();) {
    const size_t end = std::min(carets.find('^', begin), carets.size());
    const std::string_view part = std::string_view(carets).substr(begin, end - begin);
    const bool is_name = is_normal_name(part) && part.find(';') == std::string_view::npos;
    if (!is_name || (part.empty() && end != carets.size()))
      return invalid(part, "cannot be a part of a name");
    if (out.parts_.size() == kFanOutMax) return invalid(carets, "has more than 64 parts");
    out.parts_.emplace_back(part);
    begin = end + 1;
  }
  return out;
}

Verdict<Refusal> HostNames::apply(std::string_view name, Batch& batch,
                                  std::vector<std::string_view>& names) const {
  names.clear();
  const size_t path_size = std::min(name.find(';'), name.size());
  const std::string_view path = name.substr(0, path_size);
  const std::string_view own = path_size == name.size() ? std::string_view() : name.substr(path_size + 1);
  TagList list;
  if (!own.empty()) {
    if (const auto verdict = list.add_all(own, TagSpelling::kGraphite, batch); verdict.is_refused())
      return verdict;
  }
  for (const Tag& tag : tags_) {
    if (const auto verdict = list.add_default(tag.key, tag.value, batch); verdict.is_refused())
      return verdict;
  }
  const auto add = [&](std::string_view whole_path) {
    if (list.name_size(whole_path) > kNameBytesMax) return false;
    names.push_back(list.name(whole_path, batch));
    return true;
  };
  if (parts_.empty()) return accept_if(add(path), Refusal::kNameTooLong);
  std::string fanned_out;
  for (const std::string& part : parts_) {
    fanned_out.assign(path);
    if (!part.empty()) fanned_out.append(".").append(part);
    if (!add(fanned_out)) return Refusal::kNameTooLong;
  }
  return kAccepted;
}

}  // namespace statmill

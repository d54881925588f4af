#include "tools/statmill/doctor/finding.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "tools/statmill/answer.h"

namespace statmill {

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarning:
      return "warning";
    case Verdict::kFault:
      return "fault";
  }
  return {};
}

std::string findings_text(const std::vector<Finding>& findings) {
  constexpr size_t kVerdictWidth = 9;
  size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.subject.size() + 2);
  std::string out;
  for (const Finding& finding : findings) {
    const std::string_view verdict = verdict_text(finding.verdict);
    out.append(verdict).append(kVerdictWidth - verdict.size(), ' ');
    out.append(finding.subject).append(width - finding.subject.size(), ' ');
    out.append(finding.text).append("\n");
    if (!finding.advice.empty())
      out.append(kVerdictWidth + width, ' ').append("-> ").append(finding.advice).append("\n");
  }
  return out;
}

std::string findings_json(const std::vector<Finding>& findings) {
  boost::json::array list;
  for (const Finding& finding : findings) {
    boost::json::object one;
    one["verdict"] = verdict_text(finding.verdict);
    one["subject"] = finding.subject;
    one["text"] = finding.text;
    one["advice"] = finding.advice;
    list.push_back(std::move(one));
  }
  return json_output(boost::json::serialize(list));
}

}  // namespace statmill

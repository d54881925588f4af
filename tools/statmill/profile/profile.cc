#include "tools/statmill/profile/profile.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <map>

#include "base/csv_text.h"
#include "base/visible.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/chart/units.h"
#include "tools/statmill/parse_json.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr size_t kBarWidth = 30;
constexpr double kNsPerSecond = 1e9;

// Reads fields of a document; the first one that is missing or of another type marks all as failed.
class Fields {
 public:
  uint64_t count(const json::object& of, std::string_view name) {
    const json::value* const found = of.if_contains(name);
    boost::system::error_code error;
    const uint64_t out = found != nullptr ? found->to_number<uint64_t>(error) : 0;
    failed_ |= found == nullptr || error;
    return out;
  }
  std::string text(const json::object& of, std::string_view name) {
    const json::value* const found = of.if_contains(name);
    const json::string* const text = found != nullptr ? found->if_string() : nullptr;
    failed_ |= text == nullptr;
    return text != nullptr ? std::string(*text) : std::string();
  }
  const json::object& object(const json::value* value) {
    const json::object* const out = value != nullptr ? value->if_object() : nullptr;
    failed_ |= out == nullptr;
    return out != nullptr ? *out : no_object_;
  }
  const json::array& array(const json::value* value) {
    const json::array* const out = value != nullptr ? value->if_array() : nullptr;
    failed_ |= out == nullptr;
    return out != nullptr ? *out : no_array_;
  }
  bool failed() const { return failed_; }

 private:
  const json::object no_object_;
  const json::array no_array_;
  bool failed_ = false;
};

Profile::Part stages_between(const ProfileReading& first, const ProfileReading& last, const Profile& of) {
  Profile::Part out{"stage", {}};
  const std::map<std::string, uint64_t> before(first.stages.begin(), first.stages.end());
  double known_s = 0;
  for (const auto& [name, cpu_ns] : last.stages) {
    const auto found = before.find(name);
    const uint64_t begin = found != before.end() ? found->second : 0;
    const double cpu_s = static_cast<double>(cpu_ns - std::min(begin, cpu_ns)) / kNsPerSecond;
    known_s += cpu_s;
    out.rows.push_back({.name = name, .cpu = cpu_s / of.seconds});
  }
  out.rows.push_back({.name = "other", .cpu = std::max(0.0, of.cpu - known_s / of.seconds)});
  return out;
}

Profile::Part threads_between(const ProfileReading& first, const ProfileReading& last, const Profile& of) {
  Profile::Part out{"thread", {}};
  std::map<uint64_t, uint64_t> before;
  for (const ProfileReading::Thread& thread : first.threads) before[thread.id] = thread.cpu_ns;
  std::map<std::string, std::pair<uint64_t, double>> names;
  double known_s = 0;
  for (const ProfileReading::Thread& thread : last.threads) {
    const auto found = before.find(thread.id);
    const uint64_t begin = found != before.end() ? found->second : 0;
    auto& [threads, cpu_s] = names[thread.name];
    ++threads;
    // An id whose time went back is that of another thread.
    const double used_s =
        static_cast<double>(thread.cpu_ns - (begin <= thread.cpu_ns ? begin : 0)) / kNsPerSecond;
    cpu_s += used_s;
    known_s += used_s;
  }
  for (const auto& [name, sum] : names)
    out.rows.push_back({.name = name, .threads = sum.first, .cpu = sum.second / of.seconds});
  constexpr double kLeastEnded = 0.001;  // of a processor: the clocks are read one after another
  const double ended = of.cpu - known_s / of.seconds;
  if (ended >= kLeastEnded) out.rows.push_back({.name = "(ended)", .cpu = ended});
  return out;
}

std::string percent(double share, int decimals) { return fixed_text(100 * share, decimals) + " %"; }

void append_table(std::string& out, const Profile& profile, const Profile::Part& part) {
  constexpr double kSmall = 0.1;  // of a processor; below it one decimal would show most rows as 0
  const int decimals = profile.cpu < kSmall ? 3 : 1;
  double most = 0;
  for (const Profile::Row& row : part.rows) most = std::max(most, row.share);
  const bool has_threads = part.name == "thread";
  TextTable table(has_threads
                      ? std::vector<TextTable::Column>{{part.name},
                                                       {"threads", Align::kRight},
                                                       {"of a CPU", Align::kRight},
                                                       {"share", Align::kRight},
                                                       {""}}
                      : std::vector<TextTable::Column>{
                            {part.name}, {"of a CPU", Align::kRight}, {"share", Align::kRight}, {""}});
  for (const Profile::Row& row : part.rows) {
    std::vector<std::string> cells = {row.name};
    if (has_threads) cells.push_back(row.threads > 0 ? std::to_string(row.threads) : "-");
    cells.push_back(percent(row.cpu, decimals));
    cells.push_back(percent(row.share, 1));
    cells.push_back(bar_text(most > 0 ? row.share / most : 0, kBarWidth));
    table.add(std::move(cells));
  }
  out.append("\n").append(table.text());
}

void append_rows_json(json::object& out, const Profile::Part& part) {
  json::array list;
  for (const Profile::Row& row : part.rows) {
    json::object one{{"name", row.name}};
    if (row.threads > 0) one["threads"] = row.threads;
    one["cpu"] = std::round(row.cpu * 1e6) / 1e6;
    one["share"] = std::round(row.share * 1e6) / 1e6;
    list.push_back(std::move(one));
  }
  out[part.name + "s"] = std::move(list);
}

void append_rows_csv(std::string& out, const Profile::Part& part) {
  for (const Profile::Row& row : part.rows) {
    out.append(part.name).append(",");
    append_csv_text(out, visible(row.name));
    out.append(",").append(row.threads > 0 ? std::to_string(row.threads) : "");
    out.append(",").append(fixed_text(row.cpu, 6)).append(",").append(fixed_text(row.share, 6)).append("\n");
  }
}

}  // namespace

Result<ProfileReading> parse_profile(std::string_view text) {
  boost::system::error_code error;
  const json::value root = parse_json(text, error);
  Fields fields;
  const json::object& object = fields.object(&root);
  ProfileReading out{fields.count(object, "time_ns"),
                     fields.count(object, "processors"),
                     fields.count(object, "cpu_ns"),
                     {},
                     {}};
  const json::object& stages = fields.object(object.if_contains("stages"));
  for (const auto& [name, value] : stages) out.stages.emplace_back(name, fields.count(stages, name));
  for (const json::value& value : fields.array(object.if_contains("threads"))) {
    const json::object& thread = fields.object(&value);
    out.threads.push_back(
        {fields.count(thread, "id"), fields.text(thread, "name"), fields.count(thread, "cpu_ns")});
  }
  if (error || fields.failed())
    return Error{ErrorCode::kCorrupt,
                 "the server's profile is not as expected: is it a statmilld of this version?"};
  return out;
}

void finish_profile(Profile& profile) {
  for (Profile::Part& part : profile.parts) {
    for (Profile::Row& row : part.rows)
      row.share = profile.cpu > 0 ? std::min(1.0, row.cpu / profile.cpu) : 0;
    std::ranges::stable_sort(part.rows, [](const Profile::Row& a, const Profile::Row& b) {
      const bool is_a_other = a.name == "other";
      const bool is_b_other = b.name == "other";
      return is_a_other != is_b_other ? is_b_other : a.cpu > b.cpu;
    });
  }
}

Result<Profile> profile_between(const ProfileReading& first, const ProfileReading& last) {
  if (last.time_ns <= first.time_ns || last.cpu_ns < first.cpu_ns)
    return Error{ErrorCode::kInvalid, "the server was started again meanwhile"};
  Profile out;
  out.seconds = static_cast<double>(last.time_ns - first.time_ns) / kNsPerSecond;
  out.processors = last.processors;
  out.cpu = static_cast<double>(last.cpu_ns - first.cpu_ns) / kNsPerSecond / out.seconds;
  out.parts = {stages_between(first, last, out), threads_between(first, last, out)};
  finish_profile(out);
  return out;
}

std::string profile_table(const Profile& profile) {
  std::string out = "CPU of the " + visible(profile.of) + " in " + fixed_text(profile.seconds, 1) + " s: " +
                    (profile.processors > 0 ? fixed_text(profile.cpu, 2) + " of " +
                                                  std::to_string(profile.processors) + " processors\n"
                                            : percent(profile.cpu, 3) + " of one\n");
  for (const Profile::Part& part : profile.parts) append_table(out, profile, part);
  return out;
}

std::string profile_json(const Profile& profile) {
  json::object out{{"seconds", std::round(profile.seconds * 1e3) / 1e3}};
  if (profile.processors > 0) out["processors"] = profile.processors;
  out["cpu"] = std::round(profile.cpu * 1e6) / 1e6;
  for (const Profile::Part& part : profile.parts) append_rows_json(out, part);
  return json_output(json::serialize(out));
}

std::string profile_csv(const Profile& profile) {
  std::string out = "part,name,threads,cpu,share\n";
  for (const Profile::Part& part : profile.parts) append_rows_csv(out, part);
  return out;
}

std::string bar_text(double share, size_t width) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width * kParts.size())));
  std::string out;
  for (size_t i = 0; i < eighths / kParts.size(); ++i) out.append("█");
  return out.append(kParts.at(eighths % kParts.size()));
}

}  // namespace statmill

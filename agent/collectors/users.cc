// The users collector: who is logged in, from the files that the service manager has for sessions.
//
// These tell what the library of sd-login(3) tells, which cannot read them below another root. There is no
// utmp on many hosts of today, since its times end in 2038.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/process_text.h"
#include "agent/collectors/slow_collector.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"

namespace statmill {
namespace {

// The directory also has pipes, whose names have a point, and which must not be opened.
bool is_session(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

class UsersSource final : public SlowSource {
 public:
  explicit UsersSource(const std::string& root) : files_(root + "/run/systemd/sessions") {}

  std::string_view name() const override { return "users"; }

  void read() override {
    files_.forget_refused();
    sessions_ = 0;
    users_.clear();
    const std::optional<std::vector<std::string>> names = files_.names("");
    has_sessions_ = names.has_value();
    if (!names) return;
    is_over_limit_ = names->size() == SysReader::kNamesMax;
    for (const std::string& name : *names) {
      if (!is_session(name)) continue;
      const std::optional<std::string_view> text = files_.text(name);
      const std::optional<LoginSession> session = text ? parse_login_session(*text) : std::nullopt;
      if (!session || !session->is_of_user) continue;
      ++sessions_;
      users_.insert(session->user);
    }
  }

  CollectorStatus report(MetricSink& sink) override {
    if (!has_sessions_) return sys_status(files_, false, "");
    sink.gauge("host.users.sessions", static_cast<double>(sessions_));
    sink.gauge("host.users.logged_in", static_cast<double>(users_.size()));
    return sys_status(files_, true, is_over_limit_ ? "only the first 4096 sessions" : "");
  }

  void keep(MetricSink& sink) const override { sink.keep("host.users."); }
  std::string waits_for() const override { return files_.waits_for(); }

 private:
  SysReader files_;
  size_t sessions_ = 0;
  std::set<uint32_t> users_;  // their numbers
  bool has_sessions_ = false;
  bool is_over_limit_ = false;
};

}  // namespace

std::unique_ptr<Collector> make_users_collector(const std::string& root, const Clock& clock, Log& log) {
  return make_slow_collector(std::make_unique<UsersSource>(root), clock, log);
}

}  // namespace statmill

#include "server/demo/demo_senders.h"

#include <algorithm>
#include <array>
#include <utility>

#include "proto/family.h"
#include "proto/istatd/family_line.h"
#include "proto/sample.h"
#include "server/demo/demo_lines.h"
#include "server/demo/demo_options.h"

namespace statmill {
namespace {

constexpr uint8_t kSenderNetwork = 2;  // they send from 127.2.x.y
enum Sender : size_t { kPrograms, kOdd, kBadValues, kUsers, kLongLine };

// Names that are hard to show, though legal.
std::string odd_names() {
  std::string lines;
  const auto add = [&lines](std::string_view name) { lines.append(name).append(" 1\n"); };
  add("odd.<img/src=x/onerror=alert(1)>");
  add("odd.\"><svg/onload=alert(1)>");
  add("odd.__proto__");
  add("odd.constructor");
  add("odd.leaf");
  add("odd.leaf.of_a_branch");
  add("odd..two_dots..in_a_row");
  add("odd.caf\xc3\xa9.\xf0\x9f\x90\x88");
  add("odd.with\xe2\x80\xae"
      "override");                        // refused: U+202E
  add("odd.with\xe2\x80\x8bzero_width");  // refused: U+200B
  std::string tagged = "odd.many_tags";
  for (int i = 10; i < 42; ++i) tagged.append(";t").append(std::to_string(i)).append("=v");
  add(tagged);
  std::string longest = "odd.long.";
  longest.resize(kNameBytesMax, 'x');
  add(longest);
  return lines;
}

// For a parameter of a URL; names of the demo have no other characters that need it.
std::string url_encoded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == ';') {
      out += "%3B";
    } else if (c == '=') {
      out += "%3D";
    } else {
      out += c;
    }
  }
  return out;
}

bool is_of_program(const DemoSeries& series) {
  return series.host == nullptr && series.family != &stock_family();
}

}  // namespace

DemoSenders::DemoSenders(const DemoWorld& world, Ports ports)
    : world_(world),
      ports_(std::move(ports)),
      next_slot_s_(world.start_s()),
      next_events_(from_unix_seconds(world.start_s()) + std::chrono::milliseconds(500)),
      next_late_s_(world.start_s()) {}

void DemoSenders::tick(Timestamp now, SteadyTime steady) {
  const int64_t now_s = unix_seconds(now);
  if (next_slot_s_ == world_.start_s()) {
    for (const DemoRequest& one : demo_events(world_.start_s())) request(events_, one);
    for (const DemoRequest& one : demo_dashboards()) request(dashboards_, one);
    next_rename_ = steady + kRenameInterval;
  }
  rename(steady);
  if (now_s >= next_slot_s_) {
    send_programs(next_slot_s_);
    send_odd_names();
    next_slot_s_ += world_.slot_s();
  }
  if (now - next_events_ > kCatchUpMax) next_events_ = now;
  for (; now >= next_events_; next_events_ += std::chrono::seconds(1))
    send_events(unix_seconds(next_events_));
  if (now_s >= next_late_s_) {
    send_late(now_s);
    next_late_s_ += kLateInterval;
  }
  if (steady >= next_refused_) {
    send_refused();
    next_refused_ = steady + kRefusedInterval;
  }
}

void DemoSenders::send_line(LoopbackStream& stream, size_t sender, const Endpoint& to,
                            std::string_view lines) {
  if (to.host.empty()) return;
  if (!stream.is_open()) stream = LoopbackStream(loopback_address(kSenderNetwork, sender), to);
  stream.send(lines);
}

// All but events, as lines.
void DemoSenders::send_programs(int64_t slot_begin_s) {
  std::string lines;
  if (slot_begin_s == world_.start_s()) {
    lines = "# app shop-demo\n# owner the shop's team\n";
    for (const Family& family : shop_metadata())
      append_family_line(lines, {family.kind, family.path, family.unit, family.help});
    lines.append(kRenamedFrom).append(" 21.5\n");
  }
  DemoSample sample;
  for (const DemoSeries& series : world_.series()) {
    if (!is_of_program(series) || series.kind() == Kind::kEvent) continue;
    if (world_.sample(series, slot_begin_s, sample)) append_demo_line(lines, series, slot_begin_s, sample);
  }
  send_line(programs_, kPrograms, ports_.line, lines);
}

// The events of one second, by statsd. They come in the middle of it, so that the rate of the slot under way
// is right on average.
void DemoSenders::send_events(int64_t time_s) {
  if (ports_.statsd.host.empty()) return;
  std::string statsd;
  DemoSample sample;
  for (const DemoSeries& series : world_.series()) {
    if (!is_of_program(series) || series.kind() != Kind::kEvent) continue;
    if (!world_.second(series, time_s, sample)) continue;
    const std::string_view path = path_of(series.name);
    std::string tags = series.name.substr(path.size() + 1);
    std::ranges::replace(tags, '=', ':');
    std::ranges::replace(tags, ';', ',');
    statsd.append(path).append(":").append(std::to_string(sample.bucket.decimal().sum));
    statsd.append("|c|#").append(tags).append("\n");
  }
  if (!statsd.empty()) send_datagram(loopback_address(kSenderNetwork, kPrograms), ports_.statsd, statsd);
}

void DemoSenders::send_odd_names() { send_line(odd_, kOdd, ports_.graphite, odd_names()); }

// A minute of samples that arrive two hours late, newest first.
void DemoSenders::send_late(int64_t now_s) {
  const int64_t late_s = (now_s - kLateBy) / kLateInterval * kLateInterval;
  std::string lines;
  for (int64_t time_s = late_s + kLateInterval - 1; time_s >= late_s; --time_s) {
    lines.append("shop.late;app=import ").append(std::to_string(time_s));
    lines.append(" ").append(std::to_string(100 + time_s % 3600 / 60)).append("\n");
  }
  post(lines);
}

void DemoSenders::post(std::string_view lines) {
  if (ports_.http.host.empty()) return;
  http_.receive(http_answers_);  // notices that the server has closed the connection
  http_answers_.clear();
  request(http_, {.method = "POST", .target = "/api/v1/lines", .body = std::string(lines)});
}

// Does not wait for the answer.
void DemoSenders::request(LoopbackStream& stream, const DemoRequest& request) {
  if (ports_.http.host.empty()) return;
  if (!stream.is_open()) stream = LoopbackStream(loopback_address(kSenderNetwork, kPrograms), ports_.http);
  stream.send(request.method + " " + request.target + " HTTP/1.1\r\nHost: " + ports_.http.text() + "\r\n" +
              request.fields + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" +
              request.body);
}

// Asks until it is done: the series must have come before.
void DemoSenders::rename(SteadyTime steady) {
  if (is_renamed_ || ports_.admin.empty() || steady < next_rename_) return;
  next_rename_ = steady + kRenameInterval;
  admin_.receive(admin_answers_);
  is_renamed_ = admin_answers_.find("\"renamed\":1") != std::string::npos;
  admin_answers_.clear();
  if (is_renamed_) return admin_.close();
  if (!admin_.is_open()) admin_ = LoopbackStream(ports_.admin);
  admin_.send("POST /admin/v1/rename?from=" + url_encoded(kRenamedFrom) + "&to=" + url_encoded(kRenamedTo) +
              " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
}

// Three senders whose lines are refused, each for a reason of its own.
void DemoSenders::send_refused() {
  constexpr std::array<std::string_view, 4> kBad = {"shop.orders;app=cart 12..5\n", "shop.temperature warm\n",
                                                    "shop.orders;app= 5\n", "shop.load nan\n"};
  send_line(bad_, kBadValues, ports_.line, kBad[refused_rounds_ % kBad.size()]);
  std::string users;  // each new user is a new series, until the limit of one sender
  for (size_t i = 0; i < kUsersAtOnce; ++i)
    users.append("shop.logins;user=u").append(std::to_string(700'000 + user_++)).append(" 1\n");
  if (refused_rounds_ == 0) {
    while (user_ <= kDemoSenderSeries)
      users.append("shop.logins;user=u").append(std::to_string(700'000 + user_++)).append(" 1\n");
  }
  send_line(users_, kUsers, ports_.line, users);
  if (refused_rounds_++ % 4 == 0) {
    const std::string line = "shop.dump " + std::string(70'000, '7') + "\n";
    LoopbackStream long_line;
    send_line(long_line, kLongLine, ports_.line, line);
  }
}

}  // namespace statmill

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/text.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/terminal/keys.h"
#include "tools/statmill/terminal/session.h"
#include "tools/statmill/terminal/terminal.h"
#include "tools/statmill/top/fetch.h"
#include "tools/statmill/top/view.h"

namespace statmill {
namespace {

constexpr std::string_view kTopText =
    "Shows the hosts that send to the server, the worst first, and keeps the picture up to date until `q`.\n"
    "Enter opens a host's series, and then a series as a chart; ? lists the keys. --once prints the table "
    "of\n"
    "hosts and ends; it needs no terminal.";

// Asks the server on a thread of its own, so that keys act while it waits. Thread-safe.
class Fetcher {
 public:
  Fetcher(const Client& client, Duration interval, const TerminalSession& session)
      : client_(client),
        interval_(interval),
        session_(session),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  // Asks for this from now on, at once if it differs from what was asked for.
  void want(const Wanted& wanted, const std::string& charted) {
    MutexLock lock(mutex_);
    if (has_wanted_ && wanted == wanted_ && charted == charted_) return;
    wanted_ = wanted;
    charted_ = charted;
    has_wanted_ = is_changed_ = true;
    changed_.notify_all();
  }
  // Returns the newest answer, once.
  std::optional<TopData> news() {
    MutexLock lock(mutex_);
    return std::exchange(news_, std::nullopt);
  }

 private:
  void run(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] {
      MutexLock lock(mutex_);
      changed_.notify_all();
    });
    const Client client = client_.until(stop);
    while (true) {
      const auto [wanted, charted] = next(stop);
      if (stop.stop_requested()) return;
      TopData data = fetch_top(client, wanted, charted);
      data.at_s = unix_seconds(SystemClock().wall());
      MutexLock lock(mutex_);
      news_ = std::move(data);
      session_.wake();
    }
  }
  // Waits until the wanted has changed, or the interval has passed.
  std::pair<Wanted, std::string> next(const std::stop_token& stop) {
    const SteadyTime deadline = SystemClock().steady() + interval_;
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && !is_changed_) {
      const auto left = deadline - SystemClock().steady();
      if (has_wanted_ && left <= left.zero()) break;
      changed_.wait_for(mutex_, std::max(left, decltype(left)(std::chrono::milliseconds(10))));
    }
    is_changed_ = false;
    return {wanted_, charted_};
  }

  const Client client_;
  const Duration interval_;
  const TerminalSession& session_;
  Mutex mutex_;
  Condition changed_;
  Wanted wanted_ GUARDED_BY(mutex_);
  std::string charted_ GUARDED_BY(mutex_);
  bool has_wanted_ GUARDED_BY(mutex_) = false;
  bool is_changed_ GUARDED_BY(mutex_) = false;
  std::optional<TopData> news_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last, since it uses the members above
};

// Parts of the answers that a view does not ask for stay as they were.
void merge_news(TopData& data, TopData news, View view) {
  data.problem = std::move(news.problem);
  if (!data.problem.empty()) return;
  data.at_s = news.at_s;
  if (view == View::kHosts) data.hosts = std::move(news.hosts);
  if (view == View::kSeries) {
    data.listed = std::move(news.listed);
    data.series = std::move(news.series);
    data.values = std::move(news.values);
  }
  if (view == View::kChart) {
    data.charted = std::move(news.charted);
    data.chart = std::move(news.chart);
  }
}

class Top {
 public:
  Top(const Client& client, Duration interval, TerminalSession& session, ViewContext context)
      : session_(session), context_(std::move(context)), fetcher_(client, interval, session) {}

  // Returns the signal that ended it, if any.
  std::optional<int> run() {
    resize();
    while (true) {
      fetcher_.want(wanted(state_, data_), charted_range(state_));
      if (!show()) return std::nullopt;
      const TerminalEvents events = session_.wait(keys_.is_waiting() ? kEscapeWait : kLongWait);
      if (events.ending) return events.ending;
      if (events.is_gone) return SIGHUP;
      if (events.must_suspend) suspend();
      if (events.must_repaint) resize();
      for (const Key& key : events.bytes.empty() ? keys_.flush() : keys_.parse(events.bytes)) press(key);
      if (state_.is_done) return std::nullopt;
      if (std::optional<TopData> news = fetcher_.news()) {
        const View view =
            !news->charted.empty() ? View::kChart : (!news->listed.empty() ? View::kSeries : View::kHosts);
        merge_news(data_, std::move(*news), view);
        state_ = after_data(std::move(state_), data_);
      }
    }
  }

 private:
  static constexpr Duration kEscapeWait = std::chrono::milliseconds(50);  // for the rest of a sequence
  static constexpr Duration kLongWait = std::chrono::minutes(1);

  void press(const Key& key) {
    if (key.name == KeyName::kSuspend) return suspend();
    if (key.name == KeyName::kRedraw) return resize();
    state_ = after_key(std::move(state_), key, data_);
  }
  void suspend() {
    session_.suspend();
    resize();
  }
  // Takes the size of the terminal, and paints all of it.
  void resize() {
    const TerminalSize size = terminal_size(STDOUT_FILENO).value_or(TerminalSize{24, 80});
    state_.rows = size.rows;
    state_.columns = size.columns;
    state_ = after_data(std::move(state_), data_);
    shown_ = Screen(0, 0);
  }
  bool show() {
    Screen next = draw_top(state_, data_, context_);
    const bool is_shown = session_.write(paint(shown_, next));
    shown_ = std::move(next);
    return is_shown;
  }

  TerminalSession& session_;
  const ViewContext context_;
  TopState state_;
  TopData data_;
  KeyParser keys_;
  Screen shown_{0, 0};
  Fetcher fetcher_;
};

Outcome print_once(const Client& client, const Environment& environment, const ViewContext& context) {
  TopData data = fetch_top(client, Wanted{}, {});
  if (!data.problem.empty())
    return {.code = ExitCode::kFailed, .messages = "statmill: " + data.problem + "\n"};
  data.at_s = unix_seconds(environment.now);
  if (data.hosts.empty()) return {.messages = "statmill: no host sends to this server yet\n"};
  constexpr int kTableColumns = 160;
  const int columns = environment.terminal ? environment.terminal->columns : kTableColumns;
  return {.output = as_lines(draw_hosts_once(data, columns, context), context.in_color)};
}

}  // namespace

Outcome run_top(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "top [OPTION]...", .text = kTopText, .operands_max = 0, .has_times = true};
  usage.options.add_options()                       //
      ("once", "print the table of hosts and end")  //
      ("interval", po::value<std::string>()->default_value("2s")->value_name("DURATION"),
       "ask the server this often");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Duration> interval = parse_duration(line.text("interval"));
  if (!interval) return outcome_of(Error(interval.error()).with("--interval"));
  constexpr Duration kIntervalMin = std::chrono::milliseconds(100);
  constexpr Duration kIntervalMax = std::chrono::hours(1);
  if (*interval < kIntervalMin || *interval > kIntervalMax)
    return outcome_of(Error{ErrorCode::kInvalid, "--interval: not from 100ms to 1h"});
  const bool in_color = environment.wants_color && environment.terminal.has_value();
  ViewContext context{line.text("server"), line.zone(), in_color};
  if (line.has("once")) return print_once(line.client(), environment, context);
  auto session = environment.terminal ? TerminalSession::open()
                                      : Result<std::unique_ptr<TerminalSession>>(
                                            Error{ErrorCode::kUnavailable, "standard output is no terminal"});
  if (!session) {
    return {.code = ExitCode::kUsage,
            .messages = "statmill: " + session.error().message + "; --once prints the table of hosts\n"};
  }
  std::optional<int> signal;
  {
    Top top(line.client(), *interval, **session, std::move(context));
    signal = top.run();
  }
  session->reset();
  if (signal) ::raise(*signal);  // ends the process as if it had not been caught
  return {};
}

}  // namespace statmill

// AlertSender: sends alerts to all Alertmanagers, again until each of them has what is newest.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/net/event_thread.h"
#include "base/net/http_exchange.h"
#include "base/net/tls_context.h"
#include "server/rules/alertmanager.h"
#include "server/rules/rule_options.h"
#include "statmill/registry.h"

namespace statmill::rules {

// send() is thread-safe; call the others from one thread.
class AlertSender final : public AlertSink {
 public:
  static constexpr size_t kAlertsPerRequest = 64;
  static constexpr size_t kRequestBytes = size_t{1} << 20;  // a request gets no further alert afterwards
  static constexpr Duration kTimeout = std::chrono::seconds(10);
  static constexpr Duration kFirstPause = std::chrono::seconds(1);  // after a failure; doubles
  static constexpr Duration kLastPause = std::chrono::seconds(30);

  // All must outlive it.
  AlertSender(const RuleOptions& options, Registry& registry, const Clock& clock, Log& log);
  ~AlertSender() override;

  // Reads the certificates to trust. Errors: kInvalid (--rules.authority).
  Status open();
  // Starts the thread, if there are Alertmanagers. Requires: open() succeeded.
  void start();
  // Cancels what is under way and ends the thread. May be called again.
  void stop();

  // An alert replaces an older one of the same labels that waits. Without Alertmanagers, nothing happens. An
  // Alertmanager refuses a request as a whole: the alerts of such a one are sent each alone, once, and only
  // those that are refused then are dropped.
  void send(std::vector<SentAlert> alerts) override;

 private:
  struct Peer;
  using Texts = std::vector<std::pair<LabelMap, std::string>>;  // labels, and the alert as JSON

  void add(const Texts& alerts);
  // Returns the alerts of the next request. Requires: some are waiting.
  static Texts next_batch(Peer& peer);
  // Removes what was sent, unless it has changed meanwhile.
  static void remove(Peer& peer, const Texts& batch);
  // Logs a request that failed. One whose alerts come again, each alone, is not: a line would name the wrong
  // one.
  void report(Peer& peer, const Texts& batch, const Error& error);
  boost::asio::awaitable<void> run(std::shared_ptr<Peer> peer);
  boost::asio::awaitable<Status> post(Peer& peer, std::string body);

  const RuleOptions& options_;
  const Clock& clock_;
  Log& log_;
  Counter& sent_;
  Counter& failed_;
  Counter& dropped_;
  std::shared_ptr<TlsContext> tls_;
  EventThread thread_;
  NameLookups names_{thread_.loop()};
  std::vector<std::shared_ptr<Peer>> peers_;  // confined to the thread from start() on
  bool is_started_ = false;
};

}  // namespace statmill::rules

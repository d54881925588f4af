#include "server/rules/alert_sender.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <utility>

#include "base/text.h"

namespace statmill::rules {

namespace asio = boost::asio;
namespace http = boost::beast::http;

struct AlertSender::Peer {
  Peer(asio::io_context& loop, AlertmanagerAddress at) : address(std::move(at)), timer(loop) {}

  const AlertmanagerAddress address;
  asio::steady_timer timer;  // of a pause, or of the wait for alerts
  std::unique_ptr<HttpExchange> exchange;
  std::map<LabelMap, std::string> waiting;  // by the labels: the JSON of the newest state
  LabelMap last;     // the labels up to which alerts were sent, so that those after them have their turn
  size_t alone = 0;  // so many requests have one alert each, since one with all of them was refused
  LogLimiter log{std::chrono::minutes(1)};
  bool is_paused = false;
  bool is_stopped = false;
};

AlertSender::AlertSender(const RuleOptions& options, Registry& registry, const Clock& clock, Log& log)
    : options_(options),
      clock_(clock),
      log_(log),
      sent_(registry.counter("statmill.alerts_sent", "Alerts that an Alertmanager has accepted.")),
      failed_(registry.counter("statmill.alert_requests_failed",
                               "Requests that an Alertmanager did not answer, or refused.")),
      dropped_(registry.counter("statmill.alerts_dropped",
                                "Alerts that were not sent, since too many wait or they were refused.")) {}

AlertSender::~AlertSender() { stop(); }

Status AlertSender::open() {
  auto tls = client_tls(options_.authority);
  if (!tls) return Error(tls.error()).with("rules.authority");
  tls_ = *std::move(tls);
  return Status::ok();
}

void AlertSender::start() {
  if (options_.alertmanagers.empty()) return;
  is_started_ = true;
  for (const std::string& url : options_.alertmanagers) {
    const auto peer = std::make_shared<Peer>(thread_.loop(), *parse_alertmanager(url));
    peers_.push_back(peer);
    asio::co_spawn(thread_.loop(), run(peer), [](const std::exception_ptr& fault) {
      if (fault) std::rethrow_exception(fault);
    });
  }
  thread_.start(log_, "alerts");
}

void AlertSender::stop() {
  if (!is_started_) return;
  is_started_ = false;
  asio::post(thread_.loop(), [this] {
    for (const auto& peer : peers_) {
      peer->is_stopped = true;
      peer->timer.cancel();
      if (peer->exchange) peer->exchange->cancel();
    }
  });
  thread_.release();
  thread_.join();
}

void AlertSender::send(std::vector<SentAlert> alerts) {
  if (options_.alertmanagers.empty()) return;
  Texts texts;
  texts.reserve(alerts.size());
  for (SentAlert& alert : alerts) {
    std::string json = alert_json(alert, options_.url);
    texts.emplace_back(std::move(alert.labels), std::move(json));
  }
  asio::post(thread_.loop(), [this, texts = std::move(texts)] { add(texts); });
}

void AlertSender::add(const Texts& alerts) {
  for (const auto& peer : peers_) {
    for (const auto& [labels, json] : alerts) {
      // Those that are resolved wait, too.
      if (peer->waiting.size() >= 2 * options_.alerts_max && !peer->waiting.contains(labels)) {
        dropped_.add();
      } else {
        peer->waiting.insert_or_assign(labels, json);
      }
    }
    if (!peer->is_paused) peer->timer.cancel();
  }
}

AlertSender::Texts AlertSender::next_batch(Peer& peer) {
  Texts batch;
  size_t bytes = 0;
  const size_t count_max = peer.alone > 0 ? 1 : kAlertsPerRequest;
  auto at = peer.waiting.upper_bound(peer.last);
  if (at == peer.waiting.end()) at = peer.waiting.begin();
  for (; at != peer.waiting.end() && batch.size() < count_max && bytes < kRequestBytes; ++at) {
    bytes += at->second.size() + 1;
    batch.push_back(*at);
  }
  return batch;
}

void AlertSender::remove(Peer& peer, const Texts& batch) {
  for (const auto& [labels, json] : batch) {
    const auto sent = peer.waiting.find(labels);
    if (sent != peer.waiting.end() && sent->second == json) peer.waiting.erase(sent);
  }
}

void AlertSender::report(Peer& peer, const Texts& batch, const Error& error) {
  const int64_t held_back = peer.log.admit(clock_.steady());
  if (held_back < 0) return;
  const auto& labels = batch.front().first;
  const auto name = labels.find("alertname");
  log_.error("alerts", {{"alertmanager", peer.address.authority()},
                        {"alerts", batch.size()},
                        {"first", name == labels.end() ? std::string() : visible_text(name->second)},
                        {"error", error.message},
                        {"held_back", held_back}});
}

asio::awaitable<void> AlertSender::run(std::shared_ptr<Peer> peer) {
  boost::system::error_code ignored;
  auto token = asio::redirect_error(asio::use_awaitable, ignored);
  Duration pause = kFirstPause;
  while (!peer->is_stopped) {
    if (peer->waiting.empty()) {
      peer->timer.expires_at(asio::steady_timer::time_point::max());
      co_await peer->timer.async_wait(token);
      continue;
    }
    const Texts batch = next_batch(*peer);
    std::string body;
    for (const auto& [labels, json] : batch) body.append(body.empty() ? "[" : ",").append(json);
    const Status status = co_await post(*peer, body + "]");
    if (peer->is_stopped) co_return;
    const bool is_refused = !status && status.error().code == ErrorCode::kInvalid;
    if (!status) failed_.add();
    if (is_refused && batch.size() > 1) {  // `last` stays, so that these come next
      peer->alone = batch.size();
      continue;
    }
    if (!status) report(*peer, batch, status.error());
    peer->last = batch.back().first;
    if (peer->alone > 0) --peer->alone;
    if (status || is_refused) {
      (status ? sent_ : dropped_).add(batch.size());
      remove(*peer, batch);
      pause = kFirstPause;
      continue;
    }
    peer->is_paused = true;
    peer->timer.expires_after(pause);
    co_await peer->timer.async_wait(token);
    peer->is_paused = false;
    pause = std::min(2 * pause, kLastPause);
  }
}

// Errors: kInvalid: the alerts are refused, so that it makes no sense to send them again.
asio::awaitable<Status> AlertSender::post(Peer& peer, std::string body) {
  HttpExchange::Request request(http::verb::post, peer.address.path, 11);
  request.set(http::field::host, peer.address.authority());
  request.set(http::field::user_agent, "statmill/" STATMILL_VERSION);
  request.set(http::field::content_type, "application/json");
  request.set(http::field::connection, "close");
  request.body() = std::move(body);
  request.prepare_payload();
  constexpr size_t kAnswerBytesMax = size_t{1} << 20;
  peer.exchange = std::make_unique<HttpExchange>(
      thread_.loop(), names_, tls_.get(),
      HttpExchange::Peer{peer.address.host, peer.address.port, peer.address.uses_tls},
      HttpExchange::Limits{.timeout = kTimeout, .body_bytes_max = kAnswerBytesMax});
  const auto answer = co_await peer.exchange->run(std::move(request));
  peer.exchange.reset();
  if (!answer) co_return answer.error();
  const unsigned status = answer->result_int();
  if (status / 100 == 2) co_return Status::ok();
  const auto code =
      status == 400 || status == 413 || status == 422 ? ErrorCode::kInvalid : ErrorCode::kUnavailable;
  co_return Error{code, "answers with status " + std::to_string(status) + ": " +
                            visible_text(std::string_view(answer->body()).substr(0, 200))};
}

}  // namespace statmill::rules

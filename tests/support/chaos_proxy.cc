#include "tests/support/chaos_proxy.h"

#include <boost/asio/post.hpp>
#include <cmath>
#include <random>
#include <utility>

namespace statmill {

namespace asio = boost::asio;

FaultPlan plan_of(uint64_t seed, uint64_t connection) {
  std::seed_seq words{seed >> 32, seed & 0xffffffff, connection};
  std::mt19937_64 random(words);
  const auto upto = [&random](uint64_t limit) { return random() % limit; };
  FaultPlan plan;
  plan.kind = static_cast<NetworkFault>(upto(static_cast<uint64_t>(NetworkFault::kCount)));
  plan.is_upward = upto(2) == 0;
  // Exponential, to hit the hello, the first batch and later ones equally often. Servers send little.
  const double bits = static_cast<double>(upto(1000)) / 1000 * (plan.is_upward ? 19 : 10);
  plan.after = static_cast<uint64_t>(std::exp2(bits)) - 1;
  const bool takes_time = plan.kind == NetworkFault::kPause || plan.kind == NetworkFault::kDeafClient ||
                          plan.kind == NetworkFault::kDeafServer;
  plan.lasts = Duration(takes_time ? 50 + upto(1500) : 0);
  plan.delay = Duration(upto(3) == 0 ? upto(100) : upto(5));
  return plan;
}

ChaosProxy::ChaosProxy(uint64_t seed)
    : seed_(seed), acceptor_(loop_, Tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
  endpoint_ = {"127.0.0.1", acceptor_.local_endpoint().port()};
  accept();
  thread_ = std::thread([this] { loop_.run(); });
}

ChaosProxy::~ChaosProxy() {
  loop_.stop();
  thread_.join();
}

void ChaosProxy::forward_to(const Endpoint& server) {
  const MutexLock lock(mutex_);
  server_ = server;
}

void ChaosProxy::stop_faults() {
  {
    const MutexLock lock(mutex_);
    is_faultless_ = true;
  }
  asio::post(loop_, [this] {
    for (const auto& weak : std::exchange(links_, {})) {
      if (const auto link = weak.lock()) link->reset();
    }
  });
}

std::string ChaosProxy::story() const {
  const MutexLock lock(mutex_);
  return story_;
}

uint64_t ChaosProxy::connections() const {
  const MutexLock lock(mutex_);
  return connections_;
}

void ChaosProxy::accept() {
  acceptor_.async_accept([this](const boost::system::error_code& fault, Tcp::socket client) {
    if (!fault) adopt(std::move(client));
    accept();
  });
}

void ChaosProxy::adopt(Tcp::socket client) {
  FaultPlan plan;
  Endpoint server;
  {
    const MutexLock lock(mutex_);
    const uint64_t number = connections_++;
    if (!is_faultless_) plan = plan_of(seed_, number);
    server = server_;
    story_ += "connection " + std::to_string(number) + ": " + plan.text() + "\n";
  }
  const auto link = std::make_shared<ChaosLink>(std::move(client), plan);
  links_.push_back(link);
  link->start(server);
}

}  // namespace statmill

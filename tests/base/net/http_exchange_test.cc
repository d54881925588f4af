// An exchange whose peer has a name that no name server answers.
#include "base/net/http_exchange.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "tests/base/net/held_names.h"

namespace statmill {
namespace {

namespace asio = boost::asio;

class HttpExchangeTest : public testing::Test {
 protected:
  void start(Duration timeout) {
    exchange_ = std::make_unique<HttpExchange>(loop_, names_, nullptr, HttpExchange::Peer{"a.test", "80"},
                                               HttpExchange::Limits{timeout, 1000});
    asio::co_spawn(loop_, exchange_->run({}), [this](const std::exception_ptr& fault, auto answer) {
      EXPECT_FALSE(fault);
      error_ = answer ? "none" : answer.error().message;
    });
  }

  HeldNames held_;
  asio::io_context loop_;
  NameLookups names_{loop_, held_.find()};
  std::unique_ptr<HttpExchange> exchange_;
  std::optional<std::string> error_;
};

TEST_F(HttpExchangeTest, IsCancelledDuringALookup) {
  start(std::chrono::hours(1));
  loop_.poll();
  held_.wait_for("a.test");
  exchange_->cancel();
  loop_.run();
  EXPECT_EQ(error_, "Operation canceled");
}

TEST_F(HttpExchangeTest, ALookupHasTheTimeOfTheExchange) {
  start(Duration(1));
  loop_.run();
  EXPECT_EQ(error_, "timeout of the lookup of a.test");
}

}  // namespace
}  // namespace statmill

#include "ingest/scrape/fetch.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <utility>

#include "base/net/http_exchange.h"
#include "base/text.h"
#include "ingest/scrape/scraped_values.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

// The formats that Prometheus asks for.
constexpr const char* kAccept =
    "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

HttpExchange::Request request_of(const ScrapeTarget& target) {
  HttpExchange::Request request(http::verb::get, target.path, 11);
  request.set(http::field::host, target.address());
  request.set(http::field::user_agent, "statmill/" STATMILL_VERSION);
  request.set(http::field::accept, kAccept);
  request.set("X-Prometheus-Scrape-Timeout-Seconds",
              std::to_string(static_cast<double>(target.timeout.count()) / 1000));
  request.set(http::field::connection, "close");
  return request;
}

Result<ScrapedBody> read(HttpExchange::Response answer) {
  if (answer.result() != http::status::ok)
    return Error{ErrorCode::kInvalid, "answers with status " + std::to_string(answer.result_int())};
  const auto coding = answer[http::field::content_encoding];
  if (!coding.empty() && coding != "identity")
    return Error{ErrorCode::kInvalid, "answers with the Content-Encoding " + visible_text(coding)};
  const auto format = exposition_format(answer[http::field::content_type]);
  if (!format) return format.error();
  return ScrapedBody{std::move(answer.body()), *format};
}

class FetchInLoop final : public Fetch, public std::enable_shared_from_this<FetchInLoop> {
 public:
  using Done = std::function<void(Result<ScrapedBody>)>;
  FetchInLoop(const FetchServices& services, const ScrapeTarget& target, Done done)
      : services_(services),
        done_(std::move(done)),
        exchange_(services.loop, services.names, services.tls, {target.host, target.port, target.uses_tls},
                  {.timeout = target.timeout,
                   .body_bytes_max = services.body_bytes_max,
                   .charge = [this](size_t bytes) { return charge(bytes); }}) {}
  ~FetchInLoop() override { services_.budget.used -= charged_; }

  void start(HttpExchange::Request request) {
    asio::co_spawn(
        services_.loop, exchange_.run(std::move(request)),
        [self = shared_from_this()](const std::exception_ptr& fault, Result<HttpExchange::Response> answer) {
          if (fault) std::rethrow_exception(fault);
          self->done_(answer ? read(*std::move(answer)) : Result<ScrapedBody>(answer.error()));
        });
  }
  void cancel() override { exchange_.cancel(); }

 private:
  Status charge(size_t bytes) {
    services_.budget.used += bytes - charged_;
    charged_ = bytes;
    if (services_.budget.used <= services_.budget.max) return Status::ok();
    return Error{ErrorCode::kLimit, "there is no memory for the answer (--scrape.all_body_bytes)"};
  }

  const FetchServices services_;
  const Done done_;
  HttpExchange exchange_;
  size_t charged_ = 0;
};

}  // namespace

std::shared_ptr<Fetch> fetch(const FetchServices& services, const ScrapeTarget& target,
                             std::function<void(Result<ScrapedBody>)> done) {
  const auto out = std::make_shared<FetchInLoop>(services, target, std::move(done));
  out->start(request_of(target));
  return out;
}

}  // namespace statmill

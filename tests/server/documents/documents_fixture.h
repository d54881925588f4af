// DocumentsFixture: the routes of events, dashboards and views without sockets, over a store in memory.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/log.h"
#include "server/documents/documents.h"
#include "server/http/router.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {

class DocumentsFixture : public testing::Test {
 protected:
  DocumentsFixture() { restart(); }

  // Starts a server on what the store has.
  void restart() {
    documents_.reset();
    registry_ = std::make_unique<Registry>();
    agents_ = std::make_unique<AgentRegistry>(AgentLimits{}, *registry_);
    documents_ = std::make_unique<Documents>(options_, patience_,
                                             Documents::Services{*agents_, *registry_, clock_, log_});
    documents_->restore(*store_.snapshot()->documents());
    router_ = std::make_unique<Router>(documents_->routes());
  }
  void tick() {
    StoreBatch batch;
    documents_->changes().add_to(batch);
    if (store_.write(batch)) documents_->changes().committed();
  }

  HttpResponse get(std::string_view target, std::string_view if_none_match = {}) {
    return send("GET", target, {}, {.if_none_match = if_none_match, .content_type = {}});
  }
  struct Fields {
    std::string_view if_match = {};
    std::string_view if_none_match = {};
    std::string_view content_type = "application/json";
    std::string_view origin = {};
  };
  // While the request waits for the store, ticks come; none if `is_store_at_work_` is false.
  HttpResponse send(std::string_view method, std::string_view target, std::string_view body,
                    const Fields& fields) {
    std::atomic<bool> is_answered{false};
    std::thread ticks([&] {
      while (!is_answered) {
        if (is_store_at_work_) tick();
        std::this_thread::yield();
      }
    });
    HttpResponse response = router_->answer({.method = method,
                                             .target = target,
                                             .body = body,
                                             .host = "h:1",
                                             .origin = fields.origin,
                                             .content_encoding = {},
                                             .content_type = fields.content_type,
                                             .if_none_match = fields.if_none_match,
                                             .if_match = fields.if_match,
                                             .peer = "10.0.0.7"});
    is_answered = true;
    ticks.join();
    return response;
  }
  HttpResponse send(std::string_view method, std::string_view target, std::string_view body) {
    return send(method, target, body, Fields{});
  }

  TempDirectory directory_;
  ManualClock clock_{1'700'000'000};
  Log log_{LogLevel::kError};
  MemoryStore store_{*Tiers::parse("10s:1d,5m:10d")};
  DocumentOptions options_;
  Duration patience_ = std::chrono::minutes(1);
  std::atomic<bool> is_store_at_work_{true};
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<AgentRegistry> agents_;
  std::unique_ptr<Documents> documents_;
  std::unique_ptr<Router> router_;
};

}  // namespace statmill

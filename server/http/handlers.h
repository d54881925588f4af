// The handlers: one function per endpoint (API.md). Each gets a checked URL and returns the response, or
// writes its body to a sink; none keeps state.
#pragma once

#include "server/http/http_message.h"
#include "server/http/http_services.h"
#include "server/http/url.h"
#include "server/query/body_sink.h"
#include "server/query/query_control.h"

namespace statmill {

// The queries: router.h says what they do with the sink.
HttpResponse handle_series(const HttpServices& services, const Url& url, QueryControl& control,
                           BodySink& sink);
HttpResponse handle_tree(const HttpServices& services, const Url& url, QueryControl& control, BodySink& sink);
HttpResponse handle_search(const HttpServices& services, const Url& url, QueryControl& control,
                           BodySink& sink);
HttpResponse handle_query(const HttpServices& services, const Url& url, QueryControl& control,
                          BodySink& sink);
HttpResponse handle_heatmap(const HttpServices& services, const Url& url, QueryControl& control,
                            BodySink& sink);

HttpResponse handle_lines(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_status(const HttpServices& services, const HttpRequest& request);
HttpResponse handle_rejects(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_queries(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_agents(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_retention(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_hosts(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_cardinality(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_healthz(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_readyz(const HttpServices& services, const Url& url, std::string_view body);
// For servers without live streams.
HttpResponse handle_no_live(const HttpServices& services, const Url& url, std::string_view body);
HttpResponse handle_metrics(const HttpServices& services, const Url& url, std::string_view body);

}  // namespace statmill

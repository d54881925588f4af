// Functions of texts for templates, as Prometheus and Go have them.
#pragma once

#include <string>
#include <string_view>

namespace statmill::rules {

std::string upper(std::string_view text);         // letters of ASCII
std::string title(std::string_view text);         // each word begins with a capital
std::string strip_port(std::string_view text);    // web1:9100 -> web1, [::1]:9100 -> [::1]
std::string strip_domain(std::string_view text);  // web1.example.org:9100 -> web1:9100
std::string escaped_html(std::string_view text);
std::string escaped_url(std::string_view text);  // also what a path or a query may have: / -> %2F

}  // namespace statmill::rules

// Recognizes HTTP requests at ports for lines.
//
// A page of any site can make a browser send a POST to such a port without its consent. The lines of the
// body would be samples, so a connection must end at its request line.
#pragma once

#include <string_view>

namespace statmill {

// Returns true if `line`, without its LF, has the form of a request line (RFC 9112, 3): METHOD, target and
// HTTP/n.n, with single blanks between them. The target begins with "/", has a scheme, or is "*". No sender
// of lines makes one by chance.
bool is_http_request_line(std::string_view line);

// Returns true if a line that begins with `text` and is too long to be kept may be a request line: it begins
// with METHOD and a target.
bool begins_http_request_line(std::string_view text);

}  // namespace statmill

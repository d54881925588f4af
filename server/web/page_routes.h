// The routes of the page: GET / and the files that it loads (server/http/API.md, "The page").
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/http/router.h"
#include "server/web/page.h"

namespace statmill {

inline constexpr size_t kPageFileBytesMax = size_t{8} << 20;  // of one file of a folder

// Routes for a packed page. `/` may be kept by clients that ask before each use; everything else never
// changes at its path. Without a page, `/` says what is missing. `page` must outlive the routes.
std::vector<Route> packed_page_routes(const Page& page);

// Routes for the files of a folder, as they are at each request: for those who change the page. `/` is its
// index.html. Hidden files, what is no regular file, links out of the folder and files over
// kPageFileBytesMax do not exist for clients. The routes match all paths, so they must come last. Errors:
// kInvalid if the folder does not exist.
Result<std::vector<Route>> page_folder_routes(const std::string& folder);

}  // namespace statmill

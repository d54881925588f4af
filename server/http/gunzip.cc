#include "server/http/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr size_t kFirstBytes = size_t{64} << 10;

class Inflater {
 public:
  Inflater() {
    constexpr int kGzipWindow = 15 + 16;  // 16 chooses the format of gzip (zlib.h)
    SM_CHECK(inflateInit2(&stream_, kGzipWindow) == Z_OK);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream* operator->() { return &stream_; }
  int run() { return inflate(&stream_, Z_NO_FLUSH); }
  void begin_member() { SM_CHECK(inflateReset(&stream_) == Z_OK); }

 private:
  z_stream stream_{};
};

}  // namespace

Result<std::string> gunzip(std::string_view body, size_t bytes_max) {
  Inflater inflater;
  inflater->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  inflater->avail_in = static_cast<uInt>(body.size());
  std::string out;
  size_t size = 0;
  while (true) {
    if (size == out.size()) {
      // One byte more than allowed, so that a body over the limit is found by what it writes.
      if (size > bytes_max) break;
      out.resize(std::min(std::max(kFirstBytes, 2 * size), bytes_max + 1));
    }
    inflater->next_out = reinterpret_cast<Bytef*>(out.data() + size);
    inflater->avail_out = static_cast<uInt>(out.size() - size);
    const int result = inflater.run();
    size = out.size() - inflater->avail_out;
    if (result == Z_STREAM_END) {
      if (inflater->avail_in == 0) break;
      inflater.begin_member();
    } else if (result != Z_OK || (inflater->avail_in == 0 && inflater->avail_out != 0)) {
      return Error{ErrorCode::kInvalid, "the body is no valid gzip, or its end is missing"};
    }
  }
  if (size > bytes_max)
    return Error{ErrorCode::kLimit, "the body has over " + std::to_string(bytes_max) + " bytes when decoded"};
  out.resize(size);
  return out;
}

Result<std::string_view> decoded_body(const HttpRequest& request, size_t bytes_max, std::string& store) {
  if (request.content_encoding != "gzip" || request.body.empty()) return std::string_view(request.body);
  auto text = gunzip(request.body, bytes_max);
  if (!text) return text.error();
  store = *std::move(text);
  return std::string_view(store);
}

unsigned decoding_status(const Error& error) { return error.code == ErrorCode::kLimit ? 413 : 400; }

}  // namespace statmill

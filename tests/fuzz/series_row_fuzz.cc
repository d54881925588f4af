// Reads any bytes as the row of a series: it is decoded or refused, and a decoded one survives a round trip.
#include <cstdlib>
#include <string_view>

#include "storage/series_row.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto row = decode_series_row(7, bytes);
  if (row && (is_deleted_series(bytes) || encode_series_row(*row) != bytes)) std::abort();
  return 0;
}

// What several nodes do with columns of histograms, and with series whatever they hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/query/numbers.h"
#include "server/query/series_source.h"

namespace statmill {

Presence presence_of(const Histograms& histograms);
const Presence& presence_of(const SeriesValues& series, Presence& storage);
inline bool has_values(const SeriesValues& series) {
  Presence storage;
  return presence_of(series, storage).count() > 0;
}

// Adds the samples of `other`. Returns false, and changes nothing, if they are rates over another time.
bool merge_histograms(Histograms& histograms, const Histograms& other);

// The bytes that a held series needs.
size_t memory_bytes_of(const SeriesValues& series);

// Adds the text if it is not there.
void add_note(std::vector<std::string>& notes, std::string_view text);

}  // namespace statmill

// DashboardVersion: one saved version of a dashboard, and its row in the store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "server/documents/dashboard_check.h"
#include "storage/document_row.h"

namespace statmill {

struct DashboardVersion {
  uint32_t version = 0;  // from 1 on
  Timestamp changed{};
  std::string by = {};    // the address that saved it
  std::string note = {};  // what the author says of the change
  bool is_deleted = false;
  std::shared_ptr<const std::string> text = {};  // as it was sent; not nullptr; empty if it is deleted
  DashboardSummary summary = {};

  // As in the field ETag: the version, and a hash of the text.
  std::string etag() const;
};

struct DashboardRow {
  std::string id;
  DashboardVersion version;
};

DocumentKey dashboard_key(std::string_view id, uint32_t version);
DocumentRow dashboard_row(std::string_view id, const DashboardVersion& version);
// Errors: kCorrupt.
Result<DashboardRow> dashboard_of(const DocumentRow& row);

// Returns the ETag of a text that has this version.
std::string dashboard_etag(uint32_t version, std::string_view text);

}  // namespace statmill

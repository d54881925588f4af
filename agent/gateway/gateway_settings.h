// The settings of a gateway.
#pragma once

#include <cstddef>
#include <vector>

#include "agent/delivery/outbox_options.h"
#include "agent/gateway/gateway_options.h"
#include "base/log.h"
#include "base/settings.h"

namespace statmill {

// They set fields of `options`, which must outlive them.
std::vector<Setting> gateway_settings(GatewayOptions& options);

// Lowers the limits on agents until the gateway needs at most half of `descriptors` for them and their
// servers, and logs it if it does. Returns how many descriptors are left for others.
size_t fit_gateway(size_t descriptors, const OutboxOptions& outbox, GatewayOptions& options, Log& log);

}  // namespace statmill

// The metrics of the agent's parts, as the agent reports them about itself.
#pragma once

#include "agent/delivery/outbox_thread.h"
#include "agent/gateway/gateway_port.h"
#include "agent/relay/relay.h"
#include "agent/self_report.h"

namespace statmill {

// Adds the metrics of the outbox to `report`. The outbox must live as long as reports are made.
void add_outbox_metrics(SelfReport& report, const OutboxThread& outbox);

// Adds the metrics of the relay to `report`. The relay must live as long as reports are made.
void add_relay_metrics(SelfReport& report, const Relay& relay);

// Adds the metrics of the gateway to `report`. The gateway must live as long as reports are made.
void add_gateway_metrics(SelfReport& report, const GatewayPort& gateway);

}  // namespace statmill

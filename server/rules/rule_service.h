// RuleService: all parts of the rules in a server: their engine, where they read and record, and the sender
// of their alerts.
#pragma once

#include <vector>

#include "base/result.h"
#include "server/http/router.h"
#include "server/rules/alert_sender.h"
#include "server/rules/rule_engine.h"
#include "server/rules/stored_rules.h"

namespace statmill::rules {

// Call its functions from one thread.
class RuleService {
 public:
  // Requires: options.is_on(). All must outlive it.
  RuleService(const RuleOptions& options, const StoredRules::Services& stored, DocumentChanges& changes,
              Registry& registry, Log& log)
      : stored_(stored),
        sender_(options, registry, stored.clock, log),
        engine_(options, {stored_, stored_, sender_, changes, registry, stored.clock, log}) {}

  // Reads the certificates to trust. Errors: kInvalid (--rules.authority).
  Status open() { return sender_.open(); }
  // Starts the threads. `alerts`: the rows of the store. Requires: open() succeeded.
  void start(const std::vector<DocumentRow>& alerts) {
    engine_.restore(alerts);
    sender_.start();
    engine_.start();
  }
  // Ends the threads: nothing is evaluated and sent any more. May be called again.
  void stop() {
    engine_.stop();
    sender_.stop();
  }
  const RuleBoard* board() const { return &engine_.board(); }

 private:
  StoredRules stored_;
  AlertSender sender_;
  RuleEngine engine_;
};

}  // namespace statmill::rules

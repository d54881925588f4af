// What the first screens do not need. It is one file of the packed page: small files pack badly.

export { openAsHost } from "./as_host.js";
export { createDashboardScreen } from "./dashboard.js";
export { createDashboardsScreen } from "./dashboards.js";
export { openHelp } from "./help.js";
export { createStatus } from "./status.js";
export { openToken } from "./token.js";

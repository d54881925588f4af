// This file has what no first picture needs: screens that are opened from others, dialogs, and menus of panels. It is one file of the
// packed page: small files pack badly.

export { menuOf } from "../panel/panel_files.js";
export { openAsHost } from "./as_host.js";
export { openChanges } from "./changes.js";
export { createDashboardScreen } from "./dashboard.js";
export { createDashboardsScreen } from "./dashboards.js";
export { openEventChanges } from "./event_changes.js";
export { showExemplars } from "./exemplars.js";
export { openHelp } from "./help.js";
export { askPanelsTitle } from "./save_dashboard.js";
export { createStatus } from "./status.js";
export { openToken } from "./token.js";

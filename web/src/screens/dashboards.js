/** @param {HTMLElement} element @param {import("../app.js").App} app @returns {import("../app.js").Screen} */
export function createDashboardsScreen(element, app) { element.textContent = "soon"; void app; return { title: () => "dashboards", update() {}, refresh() {}, destroy() { element.textContent = ""; } }; }

/** @param {HTMLElement} element @param {import("../app.js").App} app @returns {import("../app.js").Screen} */
export function createDashboardScreen(element, app) { element.textContent = "soon"; void app; return { title: () => "dashboard", update() {}, refresh() {}, destroy() { element.textContent = ""; } }; }

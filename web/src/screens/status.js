/** @param {HTMLElement} element @param {import("../app.js").App} app @returns {import("../app.js").Screen} */
export function createStatus(element, app) { element.textContent = "soon"; void app; return { title: () => "status", update() {}, refresh() {}, destroy() { element.textContent = ""; } }; }

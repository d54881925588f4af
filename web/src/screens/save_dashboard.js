// Saving panels as a dashboard: asks its title, and opens it.

import { html } from "lit-html";
import { openDialog } from "../parts/dialog.js";

/** An id of a dashboard from its title. @param {string} title */
export function idOf(title) {
  return title.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 64) || "dashboard";
}

/**
 * The JSON of a dashboard with panels in a grid of two columns.
 * @param {string} title
 * @param {import("../panel/panel.js").PanelSpec[]} panels
 * @param {string} from
 */
export function dashboardOf(title, panels, from) {
  return {
    format: 1, title, notes: "", vars: [], time: { from },
    panels: panels.map((panel, i) => {
      const { id, scale, ...rest } = panel;
      return { at: [i % 2 * 6, Math.floor(i / 2), 6, 1], ...rest, ...(scale ? { y: scale } : {}) };
    }),
  };
}

/**
 * @param {import("../app.js").App} app
 * @param {import("../panel/panel.js").PanelSpec[]} panels
 */
export function askPanelsTitle(app, panels) {
  let title = "";
  let fault = "";
  async function save() {
    if (title.trim() === "") return;
    const content = dashboardOf(title.trim(), panels, app.route().from);
    const id = idOf(title);
    try {
      await app.dashboards.save(id, content, "");
      dialog.close();
      app.go({ screen: "d", arg: id });
    } catch (error) {
      const status = /** @type {any} */ (error)?.status;
      fault = status === 412 ? "A dashboard with this name exists. Choose another one." : error instanceof Error ? error.message : String(error);
      dialog.update(body(), footer());
    }
  }
  const download = () => app.save(`${idOf(title || "dashboard")}.json`, "application/json",
    JSON.stringify(dashboardOf(title || "Dashboard", panels, app.route().from), null, 1));
  const body = () => html`<form class="form" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); void save(); }}>
    <label>Title<span class="field"><input autofocus .value=${title}
      @input=${(/** @type {Event} */ event) => { title = /** @type {HTMLInputElement} */ (event.target).value; }}></span></label>
    ${fault ? html`<p class="fault-note" role="alert">${fault}</p>` : null}</form>`;
  const footer = () => html`<button class="button quiet" @click=${download}>As a file</button>
    <button class="button primary" @click=${save}>Save</button>`;
  const dialog = openDialog({ title: "Save as dashboard", body: body(), footer: footer() });
}

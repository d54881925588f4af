// Deleting and renaming. The server's web port changes no names, so the page shows the command for the server's host,
// with the names that it would change; and it tells the retention of a name.

import { html, nothing } from "lit-html";
import { count } from "../model/format.js";
import { icon } from "../parts/icon.js";
import { nameText } from "../parts/name.js";

const kPreviewMax = 200;

const state = {
  glob: "", to: "", fault: "",
  /** @type {{name: string, retention?: string}[]|null} */
  found: null,
  isTruncated: false,
};

/** A text as one word of a shell. @param {string} text */
export function shellWord(text) {
  return /^[\w.=,:@%+/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {import("../app.js").App} app
 * @param {any} status
 * @param {() => void} draw
 */
export function openAdmin(app, status, draw) {
  async function preview() {
    state.fault = "";
    try {
      const answer = await app.client.get("/api/v1/series", { match: state.glob, limit: kPreviewMax });
      state.found = answer.series;
      state.isTruncated = answer.truncated === true;
    } catch (error) {
      state.found = null;
      state.fault = error instanceof Error ? error.message : String(error);
    }
    draw();
  }
  /** @param {string} command */
  const line = (command) => html`<div class="paste"><code>${command}</code><button class="button quiet icon-only" aria-label="Copy" title="Copy"
    @click=${() => app.copy(command, "command")}>${icon("copy")}</button></div>`;
  const classes = [...new Set((state.found ?? []).map((one) => one.retention ?? "").filter(Boolean))];

  return html`<section class="card section-card admin"><header><h2>Delete, rename, retention</h2></header><div class="body form">
    <p class="muted">${status.admin ? "This server takes changes from its own host." : "Names are changed at the server's own host, not over the network."}
      Type a glob to see what it matches, and copy the command.</p>
    <form class="toolbar" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); void preview(); }}>
      <span class="field"><input aria-label="Glob of names" placeholder="shop.old.*" autocomplete="off" spellcheck="false" .value=${state.glob}
        @input=${(/** @type {Event} */ event) => { state.glob = /** @type {HTMLInputElement} */ (event.target).value; state.found = null; draw(); }}></span>
      <span class="field"><input aria-label="New name, for a rename" placeholder="new name, for a rename" autocomplete="off" spellcheck="false" .value=${state.to}
        @input=${(/** @type {Event} */ event) => { state.to = /** @type {HTMLInputElement} */ (event.target).value; draw(); }}></span>
      <button class="button" type="submit" ?disabled=${state.glob.trim() === ""}>Preview</button></form>
    ${state.fault ? html`<p class="fault-note" role="alert">${state.fault}</p>` : nothing}
    ${state.glob.trim() === "" ? nothing : html`
      ${line(`statmill delete ${shellWord(state.glob.trim())}`)}
      ${state.to.trim() === "" ? nothing : line(`statmill rename ${shellWord(state.glob.trim())} ${shellWord(state.to.trim())}`)}`}
    ${state.found === null ? nothing : html`<p><b class="num">${count(state.found.length)}${state.isTruncated ? "+" : ""}</b> series match${classes.length > 0
      ? html`; kept for <span class="num">${classes.join(" or ")}</span>` : nothing}</p>
      <div class="preview">${state.found.map((one) => html`<div>${nameText(one.name)}</div>`)}</div>`}
  </div></section>`;
}

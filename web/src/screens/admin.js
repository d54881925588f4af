// Deleting and renaming series. With a token of the role admin the page does it: it lists what would change, and asks for
// the number of series again. Otherwise it shows the command for the server's host. It also tells the retention of a name.

import { html, nothing } from "lit-html";
import { count } from "../model/format.js";
import { icon } from "../parts/icon.js";
import { nameText } from "../parts/name.js";
import { createVirtualList } from "../parts/virtual_list.js";

const kPreviewMax = 10_000;   // the most that the server lists
const kRetentionMax = 1000;   // series whose retention is asked
const kRowHeight = 24;        // px, as in screens.css

/**
 * @typedef {object} Preview
 * @property {number} total
 * @property {boolean} isTruncated not all are in `names`
 * @property {string[]} names
 * @property {string[]} after new names of a rename; else empty
 */

const state = {
  glob: "", to: "", typed: "", fault: "", done: "", isBusy: false,
  /** @type {Preview|null} */
  found: null,
  /** @type {string[]} */
  classes: [],
};

/** A text as one word of a shell. @param {string} text */
export function shellWord(text) {
  return /^[\w.=,:@%+/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A rule of retention in words: `10s:2d,1h:3y` are slots of 10 s for 2 d, and so on. @param {string} rule */
export function retentionText(rule) {
  return rule.split(",").map((tier) => tier.replace(/^(.+):(.+)$/, "$1 slots for $2")).join(", ");
}

/** Says if the number that was typed is the one of the preview; blanks and commas between digits do not matter. @param {string} typed @param {number} total */
export function isConfirmed(typed, total) {
  return total > 0 && typed.replace(/[\s,\u202f]/g, "") === String(total);
}

/** @param {any} answer of a dry run @returns {Preview} */
export function previewOf(answer) {
  const names = answer.series.map((/** @type {any} */ one) => typeof one === "string" ? one : one.from);
  const after = answer.series.flatMap((/** @type {any} */ one) => typeof one === "string" ? [] : [one.to]);
  return { total: answer.count, isTruncated: answer.truncated === true, names, after };
}

/** The preview, of which only rows in view are elements. It outlives the drawing of the form around it. */
function createPreviewList() {
  const element = document.createElement("div");
  element.className = "preview";
  element.tabIndex = 0;
  element.setAttribute("role", "region");
  element.setAttribute("aria-label", "What would change");
  const body = document.createElement("div");
  body.className = "preview-rows";
  element.append(body);
  const list = createVirtualList({
    body, scroller: element, rowHeight: kRowHeight,
    row: (i) => html`<div class="row">${nameText(state.found?.names[i] ?? "")}${state.found?.after.length
      ? html` <span class="muted" aria-label="becomes">→</span> ${nameText(state.found.after[i])}` : nothing}</div>`,
  });
  return { element, update: () => list.update(state.found?.names.length ?? 0) };
}
/** @type {ReturnType<typeof createPreviewList>|null} */
let list = null;

/**
 * @param {import("../app.js").App} app
 * @param {any} status
 * @param {() => void} draw
 */
export function openAdmin(app, status, draw) {
  const isAdmin = status.admin === true;
  const glob = state.glob.trim();
  const to = state.to.trim();

  /** @param {"delete"|"rename"} what @param {Record<string, string>} parameters @param {string} [names] @returns {Promise<any>} */
  async function ask(what, parameters, names) {
    return (await app.client.raw(`/admin/v1/${what}?${new URLSearchParams(parameters)}`, { method: "POST", ...(names === undefined ? {} : { body: names }) })).json();
  }
  const dryRun = async () => previewOf(to === "" ? await ask("delete", { match: glob, dry_run: "true" }) : await ask("rename", { from: glob, to, dry_run: "true" }));

  async function preview() {
    Object.assign(state, { fault: "", done: "", typed: "", found: null, classes: [] });
    try {
      const answer = await app.client.get("/api/v1/series", { match: glob, limit: isAdmin ? kRetentionMax : kPreviewMax });
      const classes = new Set(answer.series.map((/** @type {any} */ one) => one.retention ?? ""));
      classes.delete("");
      state.classes = [...classes];
      state.found = isAdmin ? await dryRun()
        : { total: answer.series.length, isTruncated: answer.truncated === true, names: answer.series.map((/** @type {any} */ one) => one.name), after: [] };
    } catch (error) {
      state.fault = error instanceof Error ? error.message : String(error);
    }
    draw();
  }

  /** Changes exactly what was listed: names are sent one by one, and a rename is done only if its list is still the same. */
  async function run() {
    const shown = state.found;
    if (shown === null || state.isBusy || !isConfirmed(state.typed, shown.total)) return;
    state.isBusy = true;
    draw();
    try {
      if (to === "") {
        const { deleted } = await ask("delete", {}, shown.names.join("\n"));
        state.done = `${count(deleted)} series deleted.`;
      } else {
        const now = await dryRun();
        if (JSON.stringify(now) !== JSON.stringify(shown)) {
          Object.assign(state, { found: now, typed: "" });
          throw new Error("The list has changed meanwhile. Nothing was renamed; look at it again.");
        }
        const { renamed } = await ask("rename", { from: glob, to });
        state.done = `${count(renamed)} series renamed.`;
      }
      Object.assign(state, { found: null, typed: "", fault: "", glob: "", to: "" });
    } catch (error) {
      state.fault = error instanceof Error ? error.message : String(error);
    }
    state.isBusy = false;
    draw();
  }

  /** @param {string} command */
  const line = (command) => html`<div class="paste"><code>${command}</code><button class="button quiet icon-only" aria-label="Copy" title="Copy"
    @click=${() => app.copy(command, "command")}>${icon("copy")}</button></div>`;
  /** @param {"glob"|"to"} key @param {string} label @param {string} hint */
  const field = (key, label, hint) => html`<label>${label}<span class="field"><input placeholder=${hint} autocomplete="off" spellcheck="false" .value=${state[key]}
    @input=${(/** @type {Event} */ event) => { Object.assign(state, { [key]: /** @type {HTMLInputElement} */ (event.target).value, found: null, done: "", fault: "" }); draw(); }}></span></label>`;

  function confirmation() {
    const { found } = state;
    if (!isAdmin || found === null || found.total === 0) return nothing;
    if (found.isTruncated) return html`<p>The page changes at most ${count(kPreviewMax)} series at once. Narrow the pattern, or use the command below.</p>`;
    const verb = to === "" ? "Delete" : "Rename";
    return html`<form class="toolbar confirm" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); void run(); }}>
      <label for="admin-count">${to === "" ? "Deleted series are gone for good, with all their data. " : ""}Type <b class="num">${found.total}</b> to ${verb.toLowerCase()} them:</label>
      <span class="field"><input id="admin-count" inputmode="numeric" autocomplete="off" .value=${state.typed}
        @input=${(/** @type {Event} */ event) => { state.typed = /** @type {HTMLInputElement} */ (event.target).value; draw(); }}></span>
      <button class="button ${to === "" ? "danger" : "primary"}" type="submit" ?disabled=${state.isBusy || !isConfirmed(state.typed, found.total)}>${verb}
        ${count(found.total)} series</button></form>`;
  }

  list ??= createPreviewList();
  queueMicrotask(() => list?.update());  // once the list is in the page, its height is known
  return html`<section class="card section-card admin"><header><h2>Delete, rename, retention</h2></header><div class="body form">
    <p class="muted">${isAdmin ? "Type a pattern, look at what it matches, and confirm. The server notes who did it."
      : html`${app.client.hasToken() ? "Your token may not change names." : "This page may not change names: that needs a token with the role admin."}
        Type a pattern to see what it matches, and run the command at the server's host${app.client.hasToken() ? html`, or
        <button class="link-button" @click=${() => app.askToken()}>use another token</button>` : nothing}.`}</p>
    <form class="toolbar" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); void preview(); }}>
      ${field("glob", "Series: a name, or a pattern with *", "shop.old.*")}${field("to", "New name, only for a rename", "shop.archive.*")}
      <button class="button" type="submit" ?disabled=${glob === ""}>Preview</button></form>
    ${state.fault ? html`<p class="fault-note" role="alert">${state.fault}</p>` : nothing}
    ${state.done ? html`<p role="status"><span class="glyph ok">✓</span> ${state.done}</p>` : nothing}
    ${state.found === null ? nothing : html`<p role="status"><b class="num">${count(state.found.total)}${state.found.isTruncated && !isAdmin ? "+" : ""}</b> series match${state.classes.length > 0
      ? html`; kept for <span class="num">${state.classes.map(retentionText).join("; or ")}</span>` : nothing}.</p>
      ${state.found.total > 0 ? list.element : nothing}`}
    ${confirmation()}
    ${glob === "" || (isAdmin && !state.found?.isTruncated) ? nothing
      : to === "" ? line(`statmill delete ${shellWord(glob)}`) : line(`statmill rename ${shellWord(glob)} ${shellWord(to)}`)}
  </div></section>`;
}

// Questions before a dashboard is saved: under which name a copy goes, and what becomes of two versions.

import { html, nothing } from "lit-html";
import { openDialog } from "../parts/dialog.js";
import { differences } from "./dashboard_model.js";
import { idOf } from "./save_dashboard.js";

/** @typedef {import("./dashboard_model.js").Dashboard} Dashboard */

/**
 * What is part of the program, or a file of the server, is kept as it is; a copy gets a name of its own.
 * @param {import("../app.js").App} app
 * @param {Dashboard} content
 * @param {(id: string) => void} onSaved
 */
export function openCopy(app, content, onSaved) {
  let title = content.title;
  let wrong = "";
  async function done() {
    const copy = { ...content, title: title.trim() };
    try {
      await app.dashboards.save(idOf(copy.title), copy, "");
      dialog.close();
      onSaved(idOf(copy.title));
    } catch (error) {
      const status = /** @type {any} */ (error)?.status;
      wrong = status === 412 || status === 403 ? "This name is taken. Choose another one." : error instanceof Error ? error.message : String(error);
      dialog.update(body());
    }
  }
  const body = () => html`<form class="form" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); void done(); }}>
    <label>Title of the copy<span class="field"><input autofocus .value=${title}
      @input=${(/** @type {Event} */ event) => { title = /** @type {HTMLInputElement} */ (event.target).value; }}></span></label>
    ${wrong ? html`<p class="fault-note" role="alert">${wrong}</p>` : nothing}</form>`;
  const dialog = openDialog({ title: "Save a copy", body: body(), footer: html`<button class="button primary" @click=${() => void done()}>Save</button>` });
}

/**
 * Somebody else has saved meanwhile: nothing is lost, whichever way is chosen.
 * @param {Dashboard} mine @param {Dashboard} theirs
 * @param {string} about who saved theirs, and when
 * @param {{theirs: () => void, mine: () => void, both: () => void}} choices
 */
export function openConflict(mine, theirs, about, choices) {
  const { onlyMine, onlyTheirs } = differences(mine, theirs);
  const list = (/** @type {string[]} */ names) => names.length === 0 ? html`<p class="muted">nothing</p>`
    : html`<ul>${names.map((name) => html`<li><bdi>${name}</bdi></li>`)}</ul>`;
  const choose = (/** @type {() => void} */ choice) => () => { dialog.close(); choice(); };
  const dialog = openDialog({
    title: "Another version was saved meanwhile",
    body: html`<p>${about} Nothing is lost: versions stay at the server. Both keeps their version, and adds below it what only yours has.</p><div class="two"><section><h3>Only in yours</h3>${list(onlyMine)}</section><section><h3>Only in theirs</h3>${list(onlyTheirs)}</section></div>`,
    footer: html`<button class="button" @click=${choose(choices.theirs)}>Keep theirs</button>
      <button class="button" @click=${choose(choices.mine)}>Keep mine</button>
      <button class="button primary" @click=${choose(choices.both)}>Keep both</button>`,
  });
}

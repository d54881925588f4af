// "What changed": series ranked by how far they moved in a range, against the time before it.

import { html } from "lit-html";
import { number, span } from "../model/format.js";
import { unitOf } from "../model/units.js";
import { openDialog } from "../parts/dialog.js";
import { nameText } from "../parts/name.js";
import { formatFragment } from "../state/url.js";

const kAgainst = /** @type {const} */ ([["before", "the time before"], ["1d", "a day before"], ["1w", "a week before"]]);

/** @param {any} one @param {any} value */
function mean(one, value) {
  if (typeof value?.avg !== "number") return "–";
  const { text, unit } = number(value.avg, unitOf(one.name, one.kind));
  return html`${text}<span class="unit">${unit}</span>`;
}

/** Which way the mean went. @param {any} one */
function direction(one) {
  const by = (one.is?.avg ?? NaN) - (one.was?.avg ?? NaN);
  if (!by) return "";  // also where one of the two is not there
  return by > 0 ? html`<span aria-hidden="true">▲ </span><span class="hidden">rose </span>` : html`<span aria-hidden="true">▼ </span><span class="hidden">fell </span>`;
}

/**
 * @param {import("../app.js").App} app
 * @param {any[]} rows of the server's answer @param {string} was @param {string} is headings
 * @param {() => void} leave a series is opened
 */
export function changesTable(app, rows, was, is, leave) {
  /** Explore with a series, over the range that is seen. @param {string} name */
  const addressOf = (name) => {
    const { from, until, tz, live } = app.route();
    return formatFragment({ screen: "explore", arg: "", from, until, tz, live, cmp: "", at: "", k: "", big: "", own: { p0: [name] } });
  };
  return html`<div class="scroll-x"><table class="data changes"><caption class="hidden">Series by how far they moved</caption>
    <thead><tr><th scope="col">series</th><th scope="col" class="right">${was}</th><th scope="col" class="right">${is}</th>
      <th scope="col" class="right">moved by</th></tr></thead>
    <tbody>${rows.map((one) => html`<tr>
      <th scope="row"><a class="with-icon plain-link" href=${addressOf(one.name)} @click=${leave}>${nameText(one.name)}</a></th>
      <td class="num right">${mean(one, one.was)}</td><td class="num right">${mean(one, one.is)}</td>
      <td class="num right">${direction(one)}${Number(one.score).toFixed(2)}</td>
    </tr>`)}</tbody></table></div>`;
}

/**
 * @param {import("../app.js").App} app
 * @param {{from: number, until: number, match: string}} what an empty match: all series
 */
export function openChanges(app, { from, until, match }) {
  let against = "before";
  /** @type {any} */
  let answer = null;
  let fault = "";
  const dialog = openDialog({ title: "What changed", wide: true, body: html`<p class="muted">…</p>` });

  function draw() {
    const rows = answer?.series ?? [];
    dialog.update(html`
      <div class="toolbar"><span>${span(from, until, app.zone())} against</span>
        <span class="buttons">${kAgainst.map(([id, label]) => html`<button class="button" aria-pressed=${String(id === against)}
          @click=${() => { against = id; void load(); }}>${label}</button>`)}</span>
        <span class="muted">${answer ? `${answer.compared} series compared` : ""}</span></div>
      ${fault ? html`<p class="fault-note" role="alert">${fault}</p>` : null}
      ${answer && rows.length === 0 ? html`<p class="empty-note">No series moved, or none has enough samples.</p>` : null}
      ${rows.length > 0 ? changesTable(app, rows, "was", "is", () => dialog.close()) : null}`);
  }

  async function load() {
    answer = null;
    fault = "";
    try {
      answer = await app.client.get("/api/v1/changes", { match, from: Math.floor(from), until: Math.ceil(until), against, limit: 50 });
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
    draw();
  }
  draw();
  void load();
}

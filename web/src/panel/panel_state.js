// What stands in place of a plot: an error with its text, grey boxes at the first load, why there is nothing; or the table.

import {html, nothing} from "lit-html";
import {day, span, visible} from "../model/format.js";
import {dataTable} from "./data_table.js";
import {lastSlot} from "./scene.js";

/**
 * @typedef {object} Shown
 * @property {import("./types.js").PanelSpec} spec @property {import("./types.js").PanelRange} range
 * @property {import("./types.js").Answer|undefined} answer @property {import("./types.js").Answer|undefined} last
 * @property {import("./scene.js").Scene|null} scene
 * @property {boolean} isLoading @property {boolean} isEmpty no samples in the range
 * @property {string} title @property {number} top where the table is scrolled to
 */

/** @typedef {{retry: () => void, go: (from: number, until: number) => void, scrolled: (top: number) => void}} Acts */

/** Nothing if the plot is to be seen. @param {Shown} shown @param {Acts} acts */
export function stateOf(shown, acts) {
  const {spec, answer, scene, isLoading} = shown;
  if (answer?.error !== undefined && !isLoading) {
    return html`<div class="panel-state bad" role="alert"><p>✕ ${visible(answer.error || "The server refused this.")}</p>
      <button type="button" class="button" @click=${acts.retry}>again</button></div>`;
  }
  if (!scene && isLoading) return html`<div class="panel-state first" aria-hidden="true"></div>`;
  if (!scene || shown.isEmpty) return empty(shown, acts);
  return spec.view === "table" ? dataTable(scene, shown.title, {top: shown.top, scrolled: acts.scrolled}) : nothing;
}

/** @param {Shown} shown @param {Acts} acts */
function empty({spec, range, scene, last}, acts) {
  const isMissing = !scene?.lines.length || scene.missing.length > 0;
  const times = span(Math.floor(range.from), Math.floor(range.until), range.zone, {seconds: false}).replace("–", " to ");
  const words = spec.note ?? (isMissing ? "no such series yet" : `no samples from ${times}`);
  const slot = isMissing ? null : lastSlot(last);
  return html`<div class="panel-state"><p>${visible(words)}${slot ? `; the last ones came on ${day(slot.from, range.zone)}` : ""}</p>
    ${slot ? html`<button type="button" class="button" @click=${() => acts.go(slot.from, slot.until)}>go there</button>` : nothing}</div>`;
}

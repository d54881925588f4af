// The exemplars of a cell of a heatmap: observations with a few labels, such as the id of a trace. Senders place samples in
// buckets of their own, so those of the same slot with other values are listed, too.

import { html, nothing } from "lit-html";
import { exemplarsOf } from "../data/exemplars.js";
import { clock, count, day, span, text, visible } from "../model/format.js";

/** So many are listed. */
const kShown = 50;

/** @typedef {import("../panel/scene.js").Scene} Scene */
/** From `low` on to before `high`, or just that value. @typedef {{from: number, until: number, low: number, high: number}} Cell */
/** @typedef {{exemplars?: import("../data/exemplars.js").Exemplar[], warnings?: string[], fault?: string}} Found nothing: it is being asked */

/** @param {Cell} cell @param {number} value */
function isIn({ low, high }, value) {
  return low === high ? value === low : low <= value && value < high;
}

/** Hours, minutes and seconds with their thousandths. @param {number} time @param {string} zone */
function moment(time, zone) {
  const thousandths = Math.round(time * 1000) % 1000;
  return `${clock(Math.floor(time), zone, { seconds: true })}${thousandths ? `.${String(thousandths).padStart(3, "0")}` : ""}`;
}

/**
 * @param {import("../data/exemplars.js").Exemplar} one @param {Scene} scene @param {boolean} isInside
 * @param {(text: string) => void} copy
 */
function row(one, scene, isInside, copy) {
  const main = one.labels.find(([name]) => /trace/i.test(name)) ?? one.labels[0];
  const labels = main ? [main, ...one.labels.filter((label) => label !== main)] : [];
  return html`<tr class=${isInside ? "inside" : ""}><td class="num">${text(one.value, scene.unit)}</td><td class="num">${moment(one.time, scene.zone)}</td>
    <td>${labels.map(([name, value], i) => html`<span class="exemplar-label"><i>${visible(name)}</i> <bdi class="num">${visible(value)}</bdi>
      ${i ? nothing : html`<button type="button" class="link" aria-label="Copy ${visible(name)}" @click=${() => copy(value)}>copy</button>`}</span> `)}</td></tr>`;
}

/**
 * @param {Cell} cell @param {Found} found @param {Scene} scene
 * @param {{close: () => void, copy: (text: string) => void}} acts
 */
function listOf(cell, found, scene, acts) {
  const all = found.exemplars ?? [];
  const inside = all.filter((one) => isIn(cell, one.value));
  const listed = [...inside, ...all.filter((one) => !isIn(cell, one.value))];
  const isDay = day(cell.from, scene.zone) === day(cell.until, scene.zone);
  const when = isDay ? `${clock(cell.from, scene.zone, { seconds: true })}–${clock(cell.until, scene.zone, { seconds: true })}` : span(cell.from, cell.until, scene.zone, { seconds: true });
  const where = Number.isFinite(cell.low) ? `${text(cell.low, scene.unit)}–${text(cell.high, scene.unit)}` : "";
  const none = found.fault ?? (found.exemplars ? "No exemplars." : "…");
  return html`<section class="panel-exemplars" aria-label="Exemplars">
    <header><b>Exemplars</b> <span class="num">${when}</span> ${where ? html`<span class="num">${where}</span>` : nothing}
      ${listed.length ? nothing : html`<span class="muted" role="status">${none}</span>`}
      <button type="button" class="tool" aria-label="Close the exemplars" title="Close (Esc)" @click=${acts.close}>✕</button></header>
    ${listed.length ? html`<table><thead class="visually-hidden"><tr><th scope="col">value</th><th scope="col">time</th><th scope="col">labels</th></tr></thead>
      <tbody>${listed.slice(0, kShown).map((one, i) => html`
        ${where && i === inside.length ? html`<tr class="others"><td colspan="3">${inside.length ? "other values of this time" : "none in this cell; other values of this time"}</td></tr>` : nothing}
        ${row(one, scene, i < inside.length, acts.copy)}`)}</tbody></table>` : nothing}
    ${listed.length > kShown ? html`<p class="muted">${count(listed.length - kShown)} more</p>` : nothing}
    ${(found.warnings ?? []).map((warning) => html`<p class="muted">${visible(warning)}</p>`)}</section>`;
}

/**
 * Asks for the exemplars of a cell, and gives the panel what it shows of them.
 * @param {import("../app.js").App} app
 * @param {Cell & {scene: Scene, series: string[], show: (view: unknown, words: string) => void, close: () => void}} detail of the panel's action
 */
export function showExemplars(app, detail) {
  const { scene, series, from, until, show, close } = detail;
  /** @param {Found} found @param {string} words */
  const draw = (found, words) => show(listOf(detail, found, scene, { close, copy: (copied) => app.copy(copied, "text") }), words);
  draw({}, "");
  exemplarsOf(app.client, series, from, until).then(
    (found) => draw(found, found.exemplars.length === 1 ? "1 exemplar" : `${found.exemplars.length} exemplars`),
    (error) => draw({ fault: String(error.message) }, String(error.message)));
}

// The numbers of a plot as a table: a row for each slot, or of heatmaps also one for each bucket.

import {html, nothing} from "lit-html";
import {span, text, count as counted, visible, whole} from "../model/format.js";
import {styleMap} from "./style_map.js";
import {gapAt} from "./readout.js";

/** Rows beyond which only those in view exist. */
const kRowsMax = 500;
const kRowHeight = 24;
const kRowsShown = 80;

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {{head: string[], name: (row: number) => string, cells: (row: number) => {shown: string, whole: string}[], rows: number}} Grid */

/** @param {Scene} scene @returns {Grid} */
export function gridOf(scene) {
  if (scene.heat) {
    const heat = scene.heat;
    return {
      head: ["slot", ...heat.buckets.map(([low, high]) => `${text(low, scene.unit)}–${text(high, scene.unit)}`)], rows: scene.slots,
      name: (row) => slotText(scene, row),
      cells: (row) => heat.counts.map((counts) => ({shown: counted(counts[row]), whole: String(counts[row])})),
    };
  }
  const lines = [...scene.lines.filter((line) => !line.hidden), ...(scene.rest ? [scene.rest] : [])];
  const columns = lines.flatMap((line) => {
    const stats = line.stat === "value" ? ["value"] : ["avg", "min", "max", "count"].filter((stat) => /** @type {any} */ (line.columns)[stat]);
    if (!stats.includes(line.stat)) stats.unshift(line.stat);
    return stats.map((stat) => ({line, stat, values: stat === line.stat ? line.values : /** @type {any} */ (line.columns)[stat]}));
  });
  return {
    head: ["slot", ...columns.map(({line, stat}) => `${lines.length > 1 ? visible(line.label) + " " : ""}${stat}`)], rows: scene.slots,
    name: (row) => slotText(scene, row),
    cells: (row) => columns.map(({line, stat, values}) => {
      const value = values[row];
      const empty = value === null || value === undefined;
      const shown = empty ? gapAt(scene, row)?.reason ?? "–" : stat === "count" ? counted(value) : text(value, line.unit);
      return {shown, whole: whole(value)};
    }),
  };
}

/** @param {Scene} scene @param {number} row */
function slotText(scene, row) {
  const from = scene.from + row * scene.step;
  return span(from, from + scene.step, scene.zone, {seconds: scene.step < 60 || scene.from % 60 !== 0});
}

/**
 * @param {Scene} scene @param {string} caption
 * @param {{top: number, scrolled: (top: number) => void}} scroll
 */
export function dataTable(scene, caption, scroll) {
  const grid = gridOf(scene);
  const all = grid.rows <= kRowsMax;
  const first = all ? 0 : Math.max(0, Math.min(grid.rows - kRowsShown, Math.floor(scroll.top / kRowHeight) - 20));
  const end = all ? grid.rows : Math.min(grid.rows, first + kRowsShown);
  const rows = Array.from({length: end - first}, (_, i) => first + i);
  /** @param {number} count */
  const spacer = (count) => count > 0 ? html`<tr aria-hidden="true"><td colspan=${grid.head.length} class="spacer" ${styleMap({height: `${count * kRowHeight}px`})}></td></tr>` : nothing;
  return html`<div class="panel-table" tabindex="0" role="region" aria-label="Table of ${caption}"
    @scroll=${(/** @type {Event} */ event) => { if (!all) scroll.scrolled(/** @type {HTMLElement} */ (event.currentTarget).scrollTop); }}>
    <table aria-rowcount=${grid.rows + 1}><caption class="visually-hidden">${caption}, ${grid.rows} slots</caption>
    <thead><tr>${grid.head.map((title, i) => html`<th scope="col" class=${i ? "right" : ""}>${title}</th>`)}</tr></thead>
    <tbody>${spacer(first)}${rows.map((row) => html`<tr aria-rowindex=${row + 2}><th scope="row" class="num">${grid.name(row)}</th>${grid.cells(row).map((cell) => html`<td class="num right" title=${cell.whole || nothing}>${cell.shown}</td>`)}</tr>`)}${spacer(grid.rows - end)}</tbody></table></div>`;
}

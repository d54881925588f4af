// The legend: chips with the current value below small panels, a table with sortable columns below large ones.

import {html, nothing} from "lit-html";
import {repeat} from "lit-html/directives/repeat.js";
import {count, kNone, text, visible, whole} from "../model/format.js";
import {last} from "../model/buckets.js";
import {slotAt} from "../model/step.js";
import {totalUnit} from "../model/units.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Line} Line */
/** @typedef {{toggle: (name: string) => void, alone: (name: string) => void, emphasize: (name: string|null) => void, sort: (column: string) => void}} Acts */

/** The value at the crosshair, or the last one. @param {Scene} scene @param {Line} line @param {number|null} time */
export function valueAt(scene, line, time) {
  if (time !== null && time >= scene.from && time < scene.until) return line.values[slotAt(scene, time)] ?? null;
  return last(line.values).value;
}

/** A piece of the line's colour and dash. @param {Line} line */
function swatch(line) {
  const dash = line.paint.dash.length === 0 ? "" : line.paint.dash[0] > 3 ? "dashed" : "dotted";
  return html`<i class="swatch paint-${line.paint.index} ${dash} ${line.role}" aria-hidden="true"></i>`;
}

/** @param {Line} line @param {Acts} acts */
function nameButton(line, acts) {
  if (line.role === "rest") return html`<span class="legend-name">${swatch(line)}<bdi>${line.label}</bdi></span>`;
  return html`<button type="button" class="legend-name" aria-pressed=${line.hidden ? "false" : "true"} title="${visible(line.name)}"
    @click=${(/** @type {MouseEvent} */ event) => event.shiftKey ? acts.alone(line.name) : acts.toggle(line.name)} @dblclick=${() => acts.alone(line.name)}
    @pointerenter=${() => acts.emphasize(line.hidden ? null : line.name)} @pointerleave=${() => acts.emphasize(null)}
    @focus=${() => acts.emphasize(line.hidden ? null : line.name)} @blur=${() => acts.emphasize(null)}>${swatch(line)}<bdi>${line.label}</bdi></button>`;
}

/** @param {Scene} scene @param {number|null} time @param {Acts} acts */
export function chips(scene, time, acts) {
  const lines = [...scene.lines, ...(scene.rest ? [scene.rest] : [])];
  return html`<ul class="panel-chips">${repeat(lines, (line) => `${line.name} ${line.stat} ${line.role}`, (line) => html`<li class=${line.hidden ? "off" : ""}>${nameButton(line, acts)}<span class="num">${text(valueAt(scene, line, time), line.unit, {digits: 3})}</span></li>`)}</ul>`;
}

/**
 * Columns of the table: title, the number that it sorts by, and its text.
 * @type {{id: string, title: string, value: (line: Line, scene: Scene, time: number|null) => number|null|undefined, show?: (value: any, line: Line) => string}[]}
 */
const kColumns = [
  {id: "now", title: "last", value: (line, scene, time) => valueAt(scene, line, time)},
  {id: "avg", title: "avg", value: (line) => line.all.avg},
  {id: "min", title: "min", value: (line) => line.all.min},
  {id: "max", title: "max", value: (line) => line.all.max},
  {id: "sd", title: "sd", value: (line) => line.all.stddev},
  {id: "p50", title: "p50", value: (line) => line.all.p50},
  {id: "p99", title: "p99", value: (line) => line.all.p99},
  {id: "n", title: "n", value: (line) => line.kind === "event" || line.kind === "counter" ? null : line.all.count, show: (value) => count(value)},
  {id: "sum", title: "sum", value: (line) => line.all.sum, show: (value, line) => text(value, totalUnit(line.unit))},
];

/**
 * @param {Scene} scene @param {number|null} time @param {Acts} acts
 * @param {{column: string, down: boolean}} sort @param {string} caption
 */
export function table(scene, time, acts, sort, caption) {
  const columns = kColumns.filter((column) => scene.lines.some((line) => column.value(line, scene, time) != null && line.stat !== "value" || column.id === "now"
    || line.stat === "value" && /avg|min|max/.test(column.id)));
  const by = columns.find((column) => column.id === sort.column);
  const lines = [...scene.lines];
  if (sort.column === "name") lines.sort((a, b) => (a.label < b.label ? -1 : 1) * (sort.down ? -1 : 1));
  else if (by) lines.sort((a, b) => ((by.value(a, scene, time) ?? -Infinity) - (by.value(b, scene, time) ?? -Infinity)) * (sort.down ? -1 : 1));
  const shown = [...lines, ...scene.before, ...(scene.rest ? [scene.rest] : [])];
  /** @param {string} id @param {string} title */
  const header = (id, title) => {
    const order = sort.column === id ? (sort.down ? "descending" : "ascending") : "none";
    return html`<th scope="col" aria-sort=${order} class=${id === "name" ? "" : "right"}><button type="button" class="sort ${order}" @click=${() => acts.sort(id)}>${title}</button></th>`;
  };
  const isAt = time !== null && time >= scene.from && time < scene.until;
  return html`<div class="panel-legend" tabindex="0" role="region" aria-label="Legend of ${caption}"><table>
    <caption class="visually-hidden">Series of ${caption}</caption>
    <thead><tr>${header("name", "series")}${columns.map((column) => header(column.id, column.id === "now" && isAt ? "at crosshair" : column.title))}</tr></thead>
    <tbody>${repeat(shown, (line) => `${line.name} ${line.stat} ${line.role}`, (line) => html`<tr class=${line.hidden ? "off" : ""}>
      <th scope="row">${line.role === "before" ? html`<span class="legend-name">${swatch(line)}<bdi>${line.label}</bdi></span>` : nameButton(line, acts)}</th>
      ${columns.map((column) => {
        const value = column.value(line, scene, time);
        return html`<td class="num right" title=${whole(value) || nothing}>${value === null || value === undefined ? kNone : column.show ? column.show(value, line) : text(value, line.unit)}</td>`;
      })}</tr>`)}</tbody></table></div>`;
}

// What the crosshair reads: the slot, and the numbers of one series in it; without a crosshair those of the whole range.

import {html, nothing} from "lit-html";
import {age, clock, count, day, kNone, number, span, text} from "../model/format.js";
import {slotAt} from "../model/step.js";
import {totalUnit} from "../model/units.js";
import {cellAt} from "./heatmap.js";

/** Data that fill less of the range can be fitted. */
const kSmallPart = 0.2;

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Line} Line */

/**
 * Where data begin, if they fill but a small part of the range at its end.
 * @param {Scene} scene
 * @returns {number|null}
 */
export function fitFrom(scene) {
  const gap = scene.gaps[0];
  if (!gap || gap.first > 0 || scene.gaps.length > 1) return null;
  return (scene.until - gap.until) / (scene.until - scene.from) < kSmallPart ? gap.until : null;
}

/** The gap that a slot is in. @param {Scene} scene @param {number} slot */
export function gapAt(scene, slot) {
  return scene.gaps.find((gap) => slot >= gap.first && slot < gap.end) ?? null;
}

/**
 * Name and text of each number of a line in a slot, or of the whole range.
 * @param {Scene} scene @param {Line} line @param {number|null} slot
 * @returns {[string, string][]}
 */
export function numbersOf(scene, line, slot) {
  const columns = /** @type {Record<string, any>} */ (line.columns);
  /** @param {string} stat */
  const at = (stat) => slot === null ? /** @type {any} */ (line.all)[stat] : columns[stat]?.[slot];
  /** @type {[string, string][]} */
  const found = [];
  /** @param {string} name @param {number|null|undefined} value @param {any} unit */
  const add = (name, value, unit) => { if (value !== undefined && value !== null) found.push([name, text(value, unit)]); };
  if (line.stat === "value") {
    if (slot !== null) return [["", text(line.values[slot], line.unit)]];
    add("avg", at("avg"), line.unit);
    add("min", at("min"), line.unit);
    add("max", at("max"), line.unit);
    return found;
  }
  const isRate = line.kind === "event" || line.kind === "counter";
  if (isRate) {
    if (at("sum") !== undefined) add("sum", at("sum"), totalUnit(line.unit));
  } else if (at("count") !== null && at("count") !== undefined) found.push(["n", count(at("count"))]);
  add("avg", at("avg"), line.unit);
  add("sd", at("stddev"), line.unit);
  add("min", at("min"), line.unit);
  for (const stat of ["p50", "p90", "p95", "p99", "p99.9"]) add(stat, at(stat), line.unit);
  add("max", at("max"), line.unit);
  return found;
}

/** @param {number} by deviations */
export function unusualText(by) {
  return `unusual: ${number(Math.abs(by), "none", {digits: 2}).text} sd ${by > 0 ? "above" : "below"} the same hour of four weeks`;
}

/** The times of a slot, without the date while all slots are of one day. @param {Scene} scene @param {number} from */
function slotText(scene, from) {
  const seconds = scene.step % 60 !== 0;
  if (day(scene.from, scene.zone) === day(scene.until, scene.zone)) return `${clock(from, scene.zone, {seconds})}–${clock(from + scene.step, scene.zone, {seconds})}`;
  return span(from, from + scene.step, scene.zone, {seconds});
}

/**
 * @param {Scene} scene
 * @param {number|null} time of the crosshair
 * @param {Line|undefined} line which the numbers are of
 * @param {number|null} value where the pointer is, for cells of heatmaps
 * @param {(from: number, until: number) => void} fit shows the part of the range that has data
 */
export function readout(scene, time, line, value, fit) {
  const inside = time !== null && time >= scene.from && time < scene.until;
  const slot = inside ? slotAt(scene, time) : null;
  if (!line) return html`<p class="panel-readout num"></p>`;
  const from = slot === null ? Math.max(scene.from, 0) : scene.from + slot * scene.step;
  const when = slot === null ? "" : slotText(scene, from);
  const head = slot === null ? html`<span class="when">whole range</span>` : html`<time class="when">${when}</time>`;
  const name = scene.lines.length > 1 || scene.rest ? html`<b class="of paint-${line.paint.index}">${line.label}</b>` : nothing;
  const gap = slot === null ? null : gapAt(scene, slot);
  const isEmpty = slot !== null && (scene.heat ? !line.columns.count?.[slot] : line.values[slot] === null || line.values[slot] === undefined);
  if (isEmpty) {
    const why = gap ? gap.reason : from > scene.now ? "not yet" : "no samples";
    return html`<p class="panel-readout num">${head} ${name} <span class="why">${why}${gap ? html`, ${age(gap.until - gap.from)}` : nothing}</span></p>`;
  }
  const start = fitFrom(scene);
  const odd = slot === null ? undefined : scene.unusual.find((one) => one.slot === slot && one.line === line.name);
  const cell = slot !== null && value !== null && scene.heat ? cellAt(scene, slot, value) : null;
  // what a narrow panel cuts is the end of the numbers
  const fitting = slot === null && start !== null
    ? html`<button type="button" class="link" @click=${() => fit(start - scene.step, scene.until)}>fit to the last ${age(scene.until - start)}</button> ` : nothing;
  return html`<p class="panel-readout num ${name === nothing ? "" : "many"}">${head} ${fitting}${name}
    ${cell ? html`<span class="cell"><i>cell</i> ${text(cell.low, line.unit)}–${text(cell.high, line.unit)}: <b>${count(cell.count)}</b>, ${text(cell.above * 100, "percent", {digits: 3})} above</span>` : nothing}
    ${numbersOf(scene, line, slot).map(([stat, shown]) => html`<span class="stat stat-${stat.replace(".", "")}"><i>${stat}</i> ${shown || kNone}</span> `)}
    ${odd ? html`<span class="why">${unusualText(odd.by)}</span>` : nothing}
    ${slot !== null && slot === scene.open ? html`<span class="why">open slot</span>` : nothing}</p>`;
}

/**
 * One sentence for those who do not see the plot.
 * @param {string} title @param {Scene} scene
 */
export function sentence(title, scene) {
  const length = age(scene.until - scene.from);
  const parts = scene.lines.filter((line) => !line.hidden).slice(0, 3).map((line) => {
    const shown = line.stat === "value" || !scene.heat ? line.values : /** @type {any} */ (line.columns).p50 ?? line.values;
    let last = null;
    for (let slot = shown.length - 1; slot >= 0 && last === null; --slot) last = shown[slot] ?? null;
    const {avg, min, max} = line.all;
    const name = scene.lines.length > 1 ? `${line.label}: ` : "";
    const where = max === null ? -1 : (line.columns.max ?? line.values).indexOf(max);
    const when = where < 0 ? "" : ` at ${span(scene.from + where * scene.step, scene.from + where * scene.step, scene.zone).split("–")[0].slice(11)}`;
    return `${name}now ${text(last, line.unit)}, average ${text(avg, line.unit)}, lowest ${text(min, line.unit)}, highest ${text(max, line.unit)}${when}`;
  });
  const more = scene.lines.length > 3 ? `; ${scene.lines.length - 3 + scene.restCount} more series` : "";
  const gaps = scene.gaps.length === 0 ? "" : scene.gaps.length === 1 ? `; one gap of ${age(scene.gaps[0].until - scene.gaps[0].from)}: ${scene.gaps[0].reason}`
    : `; ${scene.gaps.length} gaps, the longest ${age(Math.max(...scene.gaps.map((gap) => gap.until - gap.from)))}`;
  const odd = scene.unusual.length ? `; ${scene.unusual.length} unusual slots` : "";
  return `${title}, ${length}: ${parts.join("; ")}${more}${gaps}${odd}`.replaceAll("\u202F", " ");
}

/** What is said when the crosshair moves by a key. @param {Scene} scene @param {number} time @param {Line|undefined} line */
export function spoken(scene, time, line) {
  const slot = slotAt(scene, time);
  const from = scene.from + slot * scene.step;
  const when = span(from, from + scene.step, scene.zone, {seconds: scene.step < 3600}).slice(11);
  if (!line) return when;
  const gap = gapAt(scene, slot);
  const numbers = numbersOf(scene, line, slot).map(([stat, shown]) => `${stat} ${shown}`).join(", ");
  return `${when}: ${scene.lines.length > 1 ? line.label + " " : ""}${gap ? gap.reason : numbers || "no samples"}`.replaceAll("\u202F", " ");
}

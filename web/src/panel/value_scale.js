// Limits of the value axis: of all that is drawn.

import {stacked} from "./bands.js";
import {heatRange} from "./heatmap.js";
import {niceLimits} from "./value_axis.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Line} Line */
/** Axis limits and how values become positions. @typedef {{low: number, high: number, scale: "lin"|"log"|"asinh", linear: number, count: number}} ValueScale */

/** Lines above the cells. @param {Scene} scene */
export function percentiles(scene) {
  const columns = /** @type {Record<string, any>} */ (scene.lines[0]?.columns ?? {});
  return [{stat: "p50", dash: [], width: 1}, {stat: "p99", dash: [], width: 1.5}, {stat: "p99.9", dash: [4, 2], width: 1}, {stat: "max", dash: [1, 2], width: 1}].filter(({stat}) => columns[stat]);
}

/**
 * Edges of a line's band, or null without one.
 * @param {Line} line @param {"mm"|"sd"|"off"} band
 * @returns {{low: (number|null)[], high: (number|null)[]}|null}
 */
export function bandOf(line, band) {
  const {min, max, avg, stddev} = line.columns;
  if (band === "mm" && min && max) return {low: min, high: max};
  if (band === "sd" && avg && stddev) {
    /** @param {number} sign */
    const edge = (sign) => avg.map((value, slot) => value === null ? null : value + sign * (stddev[slot] ?? 0));
    return {low: edge(-1), high: edge(1)};
  }
  return null;
}

/**
 * Limits of the value axis: of all that is drawn, with zero where it belongs.
 * @param {Scene} scene @param {number} height of the plot
 * @returns {ValueScale}
 */
export function valueScale(scene, height) {
  const count = Math.max(2, Math.min(10, Math.floor((height - 46) / 34)));
  if (scene.heat) return heatScale(scene, count);
  let low = Infinity;
  let high = -Infinity;
  let positive = Infinity;
  /** @param {(number|null)[]|undefined} column */
  const include = (column) => {
    for (const value of column ?? []) {
      if (value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
      if (value > 0 && value < positive) positive = value;
    }
  };
  const shown = scene.lines.filter((line) => !line.hidden);
  if (scene.view === "stack") for (const layer of stacked(shown.map((line) => line.values))) include(layer.high);
  else {
    for (const line of shown) {
      include(line.values);
      if (shown.length <= 3) include(line.seconds.map(([, value]) => value));
      const band = shown.length <= 3 ? bandOf(line, scene.band) : null;
      include(band?.low);
      include(band?.high);
    }
    for (const line of scene.before) if (!line.hidden) include(line.values);
    include(scene.rest?.columns.min);
    include(scene.rest?.columns.max);
  }
  if (scene.limits) [low, high] = scene.limits;
  if (low > high) return {low: 0, high: scene.unit.limits ? 100 / scene.unit.factor : 1 / scene.unit.factor, scale: "lin", linear: 1, count};
  if (scene.scale === "log" && high > 0) {
    const least = scene.limits && low > 0 ? low : positive;
    return {low: least / 1.1, high: Math.max(high * 1.1, least * 10), scale: "log", linear: 1, count};
  }
  if (scene.scale === "asinh") {
    const linear = Math.max(Number.isFinite(positive) ? positive : 1, Math.max(Math.abs(low), Math.abs(high)) / 1e6);
    return {low: Math.min(low, 0), high: high <= 0 ? linear : high * 1.2, scale: "asinh", linear, count};
  }
  if (scene.limits) return {low, high, scale: "lin", linear: 1, count};
  const natural = scene.unit.limits;
  if (natural && (scene.unit.id === "percent" || scene.unit.id === "ratio") && low >= natural[0] / scene.unit.factor && high <= natural[1] / scene.unit.factor * 1.0001) {
    return {low: natural[0] / scene.unit.factor, high: natural[1] / scene.unit.factor * 1.02, scale: "lin", linear: 1, count};
  }
  const isRate = shown.some((line) => line.kind === "event" || line.kind === "counter") || scene.view === "stack";
  if (low >= 0 && (isRate || low <= high * 0.5)) low = 0;
  if (low === 0 && high === 0) high = 1 / scene.unit.factor;
  const [bottom, top] = niceLimits(low, high, scene.unit, count);
  return {low: bottom, high: top, scale: "lin", linear: 1, count};
}

/** @param {Scene} scene @param {number} count @returns {ValueScale} */
function heatScale(scene, count) {
  const {low, high, negative} = heatRange(scene);
  if (!(low < high)) return {low: 1, high: 10, scale: "log", linear: 1, count};
  if (scene.limits) return {low: scene.limits[0], high: scene.limits[1], scale: scene.limits[0] > 0 ? "log" : "lin", linear: 1, count};
  if (scene.scale === "log" && !negative) return {low: low / 1.15, high: high * 1.3, scale: "log", linear: 1, count};
  const bottom = Math.min(0, ...(scene.heat?.buckets.map(([from]) => from) ?? []));
  if (scene.scale === "lin") {
    const [from, until] = niceLimits(bottom, high, scene.unit, count);
    return {low: from, high: until, scale: "lin", linear: 1, count};
  }
  return {low: bottom, high: high * 1.1, scale: "asinh", linear: low, count};
}

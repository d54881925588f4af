// Dashboards that istatd has saved, as dashboards of this page.

/** @typedef {{format: 1, title: string, notes: string, vars: any[], time: {from: string}, panels: any[]}} Dashboard */
/** @typedef {{dashboard: Dashboard, left: string[]}} Imported what could not be taken over is in `left`, a sentence each */

/** Panels in one dashboard, and series in one panel. */
const kPanelsMax = 200;
const kSeriesMax = 200;
/** Widths of charts from which on a panel covers so many of 12 columns. */
const kWidths = /** @type {[number, number][]} */ ([[800, 12], [500, 6], [0, 4]]);

/** @param {unknown} value @returns {value is Record<string, any>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where the panels of equal size stand, from left to right. @param {number} i @param {number} columns @returns {[number, number, number, number]} */
export function placeOf(i, columns) {
  const beside = Math.max(1, Math.floor(12 / columns));
  return [i % beside * columns, Math.floor(i / beside) * 2, columns, 2];
}

/** A length of time as a duration text. @param {number} seconds */
function lengthText(seconds) {
  for (const [size, letter] of /** @type {[number, string][]} */ ([[31536000, "y"], [86400, "d"], [3600, "h"], [60, "m"]])) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size}${letter}`;
  }
  return `${Math.max(60, Math.round(seconds))}s`;
}

/**
 * Whether a JSON is a saved dashboard of istatd, or the settings that hold several.
 * @param {unknown} value
 */
export function isIstatd(value) {
  if (!isObject(value)) return false;
  return Array.isArray(value.graphs) && value.graphs.every((graph) => Array.isArray(graph) && graph.every((name) => typeof name === "string"))
    || Object.keys(value).some((key) => key.startsWith("dashboard."));
}

/**
 * All dashboards of istatd's settings, `{"dashboard.NAME": "JSON"}`, by their names; a value that is no JSON is left out.
 * @param {Record<string, unknown>} settings
 * @returns {{name: string, value: unknown}[]}
 */
export function savedIn(settings) {
  const found = [];
  for (const [key, value] of Object.entries(settings)) {
    if (!key.startsWith("dashboard.") || value === "") continue;
    try {
      found.push({name: key.slice("dashboard.".length), value: typeof value === "string" ? JSON.parse(value) : value});
    } catch {
      found.push({name: key.slice("dashboard.".length), value: null});
    }
  }
  return found;
}

/**
 * @param {unknown} json one saved dashboard, or settings, of which the first dashboard is taken
 * @param {string} [title]
 * @returns {Imported}
 */
export function importIstatd(json, title = "from istatd") {
  /** @type {string[]} */
  const left = [];
  /** @type {Dashboard} */
  const dashboard = {format: 1, title, notes: "", vars: [], time: {from: "-1h"}, panels: []};
  if (isObject(json) && !Array.isArray(json.graphs)) {
    const [first, ...others] = savedIn(json);
    for (const {name} of others) left.push(`dashboard ${name}: import it by itself`);
    if (first) return merge(importIstatd(first.value, first.name), left);
  }
  if (!isObject(json) || !Array.isArray(json.graphs)) return {dashboard, left: ["this is no dashboard of istatd"]};
  const width = isObject(json.size) && typeof json.size.width === "number" ? json.size.width : 600;
  const columns = (kWidths.find(([least]) => width >= least) ?? kWidths[1])[1];
  if (typeof json.timeInterval === "number" && json.timeInterval > 0) dashboard.time.from = `-${lengthText(json.timeInterval)}`;
  json.graphs.forEach((graph, i) => {
    const series = (Array.isArray(graph) ? graph : []).filter((name) => typeof name === "string" && name !== "");
    if (series.length === 0) {
      left.push(`graph ${i + 1}: it has no series`);
      return;
    }
    if (dashboard.panels.length >= kPanelsMax) {
      left.push(`graph ${i + 1}: a dashboard has at most ${kPanelsMax} panels`);
      return;
    }
    if (series.length > kSeriesMax) left.push(`graph ${i + 1}: ${series.length - kSeriesMax} of its series`);
    // istatd marks events with a star, which is no part of the stored name.
    const panel = {at: placeOf(dashboard.panels.length, columns), series: series.slice(0, kSeriesMax).map((name) => name.replace(/^\*/, "")), ...bandOf(json.formats?.[i])};
    dashboard.panels.push(panel);
  });
  return {dashboard, left};
}

/** What istatd draws around its lines: 1 nothing, 2 deviation, 3 least and greatest, 4 stacked, 5 area. @param {unknown} format */
function bandOf(format) {
  if (format === 1 || format === 5) return {band: "off"};
  if (format === 2) return {band: "sd"};
  return format === 4 ? {view: "stack"} : {};
}

/** @param {Imported} imported @param {string[]} more */
function merge(imported, more) {
  return {dashboard: imported.dashboard, left: [...imported.left, ...more]};
}

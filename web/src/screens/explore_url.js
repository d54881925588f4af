// Panels of Explore in the URL: p0=NAME, repeated for each series, and p0.KEY for what differs from the defaults. Pure.

import { readFields, writeFields } from "./panel_url.js";

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */

/** @param {string} key */
function panelOf(key) {
  const match = /^p(\d+)(?:\.(.+))?$/.exec(key);
  return match ? { id: Number(match[1]), field: match[2] ?? "" } : null;
}

/**
 * @param {import("../state/url.js").Route} route
 * @returns {PanelSpec[]} in the order of their numbers
 */
export function panelsOf(route) {
  const ids = new Set();
  for (const key of Object.keys(route.own)) {
    const panel = panelOf(key);
    if (panel !== null && (panel.field === "" || panel.field === "e")) ids.add(panel.id);
  }
  return [...ids].sort((a, b) => a - b).map((id) => {
    /** @type {any} */
    const spec = { id: `p${id}`, series: route.own[`p${id}`] ?? [] };
    readFields(route, `p${id}`, spec);
    if (spec.expr && spec.series.length === 0) delete spec.series;
    return spec;
  });
}

/**
 * The keys of a route with other panels. Panels get new numbers when their order changes, so that the URL has their order.
 * @param {import("../state/url.js").Route} route
 * @param {PanelSpec[]} panels
 * @returns {Record<string, string[]>}
 */
export function withPanels(route, panels) {
  /** @type {Record<string, string[]>} */
  const own = Object.create(null);
  for (const [key, values] of Object.entries(route.own)) if (panelOf(key) === null) own[key] = values;
  const numbers = panels.map((panel) => Number(panel.id.slice(1)));
  const isOrdered = numbers.every((number, i) => Number.isInteger(number) && (i === 0 || number > numbers[i - 1]));
  panels.forEach((panel, i) => {
    const name = `p${isOrdered ? numbers[i] : i}`;
    if (panel.series && panel.series.length > 0) own[name] = panel.series;
    writeFields(own, name, panel);
  });
  return own;
}


// What a user has changed of panels, in the URL: NAME.KEY for each field that differs from the defaults. Pure.

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */
/** @typedef {import("../state/url.js").Route} Route */

/** Keys of a panel in the URL, and the fields that they are. @type {[string, keyof PanelSpec, "text"|"list"|"names"|"numbers"|"number"|"flag"][]} */
const kFields = [
  ["e", "expr", "text"], ["st", "stats", "list"], ["b", "band", "text"], ["y", "scale", "text"], ["v", "view", "text"], ["h", "height", "text"],
  ["u", "unit", "text"], ["w", "compare", "text"], ["x", "hidden", "names"], ["l", "limits", "numbers"], ["o", "top", "text"], ["t", "title", "text"],
  ["n", "unusual", "flag"], ["c", "calls", "number"], ["s", "box", "numbers"],
];
/** How many numbers such a field has. @type {Record<string, number>} */
const kSizes = { limits: 2, box: 4 };

/**
 * Sets the fields of a panel that the route has.
 * @param {Route} route @param {string} name of the panel in the URL @param {any} spec
 */
export function readFields(route, name, spec) {
  for (const [key, field, type] of kFields) {
    const values = route.own[`${name}.${key}`];
    if (values === undefined || values.length === 0) continue;
    if (type === "text") spec[field] = values[0];
    else if (type === "flag") spec[field] = values[0] === "1";
    else if (type === "number") {
      if (Number.isFinite(Number(values[0]))) spec[field] = Number(values[0]);
    } else if (type === "names") spec[field] = values;
    else if (type === "list") spec[field] = values[0].split(",");
    else {
      const numbers = values[0].split(",").map(Number);
      if (numbers.length === kSizes[field] && numbers.every(Number.isFinite)) spec[field] = numbers;
    }
  }
}

/**
 * Adds the fields of a panel to the keys of a route.
 * @param {Record<string, string[]>} own @param {string} name @param {Partial<PanelSpec>} spec
 */
export function writeFields(own, name, spec) {
  for (const [key, field, type] of kFields) {
    const value = /** @type {any} */ (spec)[field];
    if (value === undefined || value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0)) continue;
    own[`${name}.${key}`] = type === "flag" ? ["1"] : type === "names" ? value : [Array.isArray(value) ? value.join(",") : String(value)];
  }
}

/** Panels that a screen has by itself stand in the URL as `p.ID`. @param {string} id */
const nameOf = (id) => `p.${id}`;

/**
 * What is changed of a panel that the screen has by itself.
 * @param {Route} route @param {string} id of the panel
 * @returns {Partial<PanelSpec>}
 */
export function changesOf(route, id) {
  const changes = {};
  readFields(route, nameOf(id), changes);
  return changes;
}

/**
 * The keys of a route with a change of such a panel; what is undefined or empty is as the screen has it again.
 * @param {Route} route @param {string} id @param {Partial<PanelSpec>} change
 * @returns {Record<string, string[]>}
 */
export function withChange(route, id, change) {
  const name = nameOf(id);
  /** @type {Record<string, string[]>} */
  const own = Object.create(null);
  for (const [key, values] of Object.entries(route.own)) if (!key.startsWith(`${name}.`)) own[key] = values;
  writeFields(own, name, { ...changesOf(route, id), ...change });
  return own;
}

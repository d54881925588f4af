// Panels of Explore in the URL: p0=NAME, repeated for each series, and p0.KEY for what differs from the defaults. Pure.

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */


/** Keys of a panel in the URL, and the fields that they are. @type {[string, keyof PanelSpec, "text"|"list"|"numbers"|"number"|"flag"][]} */
const kFields = [
  ["e", "expr", "text"], ["st", "stats", "list"], ["b", "band", "text"], ["y", "scale", "text"], ["v", "view", "text"], ["h", "height", "text"],
  ["u", "unit", "text"], ["w", "compare", "text"], ["x", "hidden", "list"], ["l", "limits", "numbers"], ["o", "top", "text"], ["t", "title", "text"],
  ["n", "unusual", "flag"], ["c", "calls", "number"],
];

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
    for (const [key, field, type] of kFields) {
      const values = route.own[`p${id}.${key}`];
      if (values === undefined || values.length === 0) continue;
      if (type === "text") spec[field] = values[0];
      else if (type === "flag") spec[field] = values[0] === "1";
      else if (type === "number") {
        if (Number.isFinite(Number(values[0]))) spec[field] = Number(values[0]);
      } else if (type === "list") spec[field] = field === "hidden" ? values : values[0].split(",");
      else {
        const numbers = values[0].split(",").map(Number);
        if (numbers.length === 2 && numbers.every(Number.isFinite)) spec[field] = numbers;
      }
    }
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
    for (const [key, field, type] of kFields) {
      const value = /** @type {any} */ (panel)[field];
      if (value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)) continue;
      if (type === "flag") {
        if (value === true) own[`${name}.${key}`] = ["1"];
        continue;
      }
      own[`${name}.${key}`] = type === "text" || type === "number" ? [String(value)] : field === "hidden" ? value : [value.join(",")];
    }
  });
  return own;
}


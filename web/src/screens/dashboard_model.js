// The JSON of a dashboard: what is wrong in it, its variables, and the panels that it means. Pure.

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */

/**
 * @typedef {object} Variable
 * @property {string} name
 * @property {string} from `tag:NAME` (its values), a glob with one `*` (what it stands for), choices with commas between
 *   them, or empty: a free text
 * @property {string} [default]
 */

/** @typedef {Record<string, any> & {at: [number, number, number, number]}} DashboardPanel */

/**
 * @typedef {object} Dashboard
 * @property {1} format
 * @property {string} title
 * @property {string} [notes]
 * @property {string} [folder]
 * @property {Variable[]} [vars]
 * @property {{from?: string}} [time]
 * @property {DashboardPanel[]} panels
 */

/** @typedef {{at: string, error: string}} Fault */

export const kPanelsMax = 200;
export const kColumnsMax = 16;
const kKinds = ["series", "heatmap", "table", "number", "text", "events"];
const kHeights = /** @type {const} */ (["S", "M", "L", "XL"]);

/** The value of a variable that stands for all of its choices. */
export const kAll = "all";

/**
 * @param {any} value
 * @returns {Fault[]} empty: it is a dashboard
 */
export function checkDashboard(value) {
  /** @type {Fault[]} */
  const faults = [];
  const say = (/** @type {string} */ at, /** @type {string} */ error) => { faults.push({ at, error }); };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ at: "/", error: "a dashboard is an object" }];
  if (value.format !== 1) say("/format", "the format must be 1");
  if (typeof value.title !== "string" || value.title.trim() === "") say("/title", "a dashboard has a title");
  if (value.notes !== undefined && typeof value.notes !== "string") say("/notes", "notes are a text");
  if (value.vars !== undefined && !Array.isArray(value.vars)) say("/vars", "vars is a list");
  for (const [i, variable] of (Array.isArray(value.vars) ? value.vars : []).entries()) {
    if (typeof variable?.name !== "string" || !/^\w{1,32}$/.test(variable.name)) say(`/vars/${i}/name`, "a name has letters, digits and _");
    if (typeof variable?.from !== "string") say(`/vars/${i}/from`, "from is a text");
  }
  if (!Array.isArray(value.panels)) {
    say("/panels", "panels is a list");
    return faults;
  }
  if (value.panels.length > kPanelsMax) say("/panels", `at most ${kPanelsMax} panels`);
  for (const [i, panel] of value.panels.entries()) checkPanel(panel, `/panels/${i}`, say);
  return faults;
}

/** @param {any} panel @param {string} at @param {(at: string, error: string) => void} say */
export function checkPanel(panel, at, say) {
  if (typeof panel !== "object" || panel === null) {
    say(at, "a panel is an object");
    return;
  }
  const place = panel.at;
  if (!Array.isArray(place) || place.length !== 4 || !place.every((one) => Number.isInteger(one) && one >= 0)) {
    say(`${at}/at`, "at is [column, row, columns, rows]");
  } else if (place[2] < 1 || place[0] + place[2] > 12) say(`${at}/at`, "a panel covers 1 to 12 of 12 columns");
  if (panel.kind !== undefined && !kKinds.includes(panel.kind)) say(`${at}/kind`, `kind is one of ${kKinds.join(", ")}`);
  if (panel.kind === "text") {
    if (typeof panel.text !== "string") say(`${at}/text`, "a text panel has a text");
  } else if (hasRows(panel)) {
    for (const key of ["row", "match", "sort", "spark"]) if (panel[key] !== undefined && typeof panel[key] !== "string") say(`${at}/${key}`, `${key} is a text`);
    if (!Array.isArray(panel.columns) || panel.columns.length === 0) say(`${at}/columns`, "a table with rows has columns");
    else if (panel.columns.length > kColumnsMax) say(`${at}/columns`, `at most ${kColumnsMax} columns`);
    else panel.columns.forEach((/** @type {any} */ one, /** @type {number} */ i) => {
      const column = typeof one === "string" ? one : one?.column;
      if (typeof column !== "string" || column.trim() === "") say(`${at}/columns/${i}`, "a column is a text, as host.cpu.busy_percent:avg");
    });
  } else if (panel.kind !== "events") {
    if (panel.expr === undefined && (!Array.isArray(panel.series) || panel.series.length === 0)) say(`${at}/series`, "a panel has series or expr");
    for (const [i, name] of (Array.isArray(panel.series) ? panel.series : []).entries()) {
      if (typeof name !== "string" || name === "") say(`${at}/series/${i}`, "a name is a text");
    }
  }
}

/** A table with rows of its own, and not one of a plot's slots. @param {Record<string, any>} panel */
export function hasRows(panel) {
  return panel.kind === "table" && panel.row !== undefined && panel.row !== "";
}

/** A panel that is no plot. @param {Record<string, any>} panel */
export function isNote(panel) {
  return panel.kind === "text" || panel.kind === "events" || panel.kind === "number" || hasRows(panel);
}

/** Panels in the order in which they are read. @param {DashboardPanel[]} panels */
export function inOrder(panels) {
  return [...panels].sort((a, b) => a.at[1] - b.at[1] || a.at[0] - b.at[0]);
}

/**
 * Replaces `$name` by its value; a text that is no variable stays.
 * @param {string} text
 * @param {Record<string, string>} values
 */
export function replaced(text, values) {
  return text.replace(/\$(\w+)/g, (whole, name) => Object.hasOwn(values, name) ? values[name] : whole);
}

/** Values as globs have them: `all` of one becomes `*`. @param {Record<string, string>} values */
export function withAny(values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === kAll ? "*" : value]));
}

/**
 * What a panel draws.
 * @param {DashboardPanel} panel
 * @param {string} id
 * @param {Record<string, string>} values of the variables; `all` of one becomes `*`
 * @returns {PanelSpec}
 */
export function specOf(panel, id, values) {
  const of = withAny(values);
  const series = (panel.series ?? []).map((/** @type {string} */ name) => {
    const full = replaced(name, of);
    return !full.startsWith("g:") && /[*?[{]/.test(full) ? `g:${full}` : full;
  });
  const { title, stats, band, unit, limits, hidden, compare, top, unusual, calls } = panel;
  /** @type {any} */
  const spec = {
    id, series: series.length > 0 ? series : undefined, expr: panel.expr ? replaced(panel.expr, of) : undefined,
    title: title ? replaced(title, values) : undefined, stats, band, unit, limits, hidden, compare, top, unusual, calls, scale: panel.y ?? panel.scale,
    view: panel.view ?? (panel.kind === "heatmap" ? "heatmap" : panel.kind === "table" ? "table" : undefined),
    height: panel.height ?? kHeights[Math.max(0, Math.min(3, panel.at[3] - 1))],
  };
  for (const key of Object.keys(spec)) if (spec[key] === undefined) delete spec[key];
  return spec;
}

/**
 * A panel, or one for each choice of the variable by which it is repeated.
 * @param {DashboardPanel} panel
 * @param {number} index of the panel in the dashboard
 * @param {Record<string, string>} values
 * @param {Record<string, string[]>} choices
 * @returns {{spec: PanelSpec, span: number}[]}
 */
export function expanded(panel, index, values, choices) {
  const by = panel.repeat;
  if (!by || values[by] !== kAll || (choices[by] ?? []).length === 0) {
    return [{ spec: specOf(panel, `d${index}`, values), span: panel.at[2] }];
  }
  return choices[by].slice(0, kPanelsMax).map((choice, i) => {
    const spec = specOf(panel, `d${index}-${i}`, { ...values, [by]: choice });
    return { spec: { ...spec, title: spec.title ? `${spec.title} · ${choice}` : choice }, span: panel.at[2] };
  });
}

/**
 * Values of the variables: from the URL, else their defaults.
 * @param {Variable[]} vars
 * @param {(name: string) => string} given
 * @param {Record<string, string[]>} choices
 */
export function valuesOf(vars, given, choices) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const one of vars) {
    values[one.name] = given(one.name) || one.default || (one.from === "" ? "" : choices[one.name]?.[0] ?? kAll);
  }
  return values;
}

/** What a person calls a panel. @param {DashboardPanel} panel @returns {string} */
export function nameOf(panel) {
  return panel.title || panel.series?.[0] || panel.expr || panel.text?.slice(0, 40) || panel.kind || "panel";
}

/**
 * What differs between two versions, panel by panel, in words.
 * @param {Dashboard} mine @param {Dashboard} theirs
 */
export function differences(mine, theirs) {
  return { onlyMine: onlyIn(mine, theirs).map(nameOf), onlyTheirs: onlyIn(theirs, mine).map(nameOf) };
}

/** Panels of `a` that `b` has not as often, wherever they stand. @param {Dashboard} a @param {Dashboard} b */
function onlyIn(a, b) {
  const text = (/** @type {DashboardPanel} */ panel) => JSON.stringify({ ...panel, at: undefined });
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const panel of b.panels) left.set(text(panel), (left.get(text(panel)) ?? 0) + 1);
  return inOrder(a.panels).filter((panel) => {
    const count = left.get(text(panel)) ?? 0;
    left.set(text(panel), count - 1);
    return count <= 0;
  });
}

/**
 * Theirs, and below them the panels that only mine has: nothing is lost.
 * @param {Dashboard} mine @param {Dashboard} theirs @returns {Dashboard}
 */
export function merged(mine, theirs) {
  const bottom = theirs.panels.reduce((row, panel) => Math.max(row, panel.at[1] + panel.at[3]), 0);
  const extra = onlyIn(mine, theirs);
  const vars = [...(theirs.vars ?? []), ...(mine.vars ?? []).filter((one) => !(theirs.vars ?? []).some((other) => other.name === one.name))];
  return {
    ...theirs, ...(vars.length > 0 ? { vars } : {}),
    panels: [...theirs.panels, ...extra.map((panel, i) => ({ ...panel, at: /** @type {[number, number, number, number]} */ ([panel.at[0], bottom + i, panel.at[2], panel.at[3]]) }))],
  };
}

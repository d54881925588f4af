// What a panel can be told: the row of controls below a large one, and the items of its menu.

import {html, nothing} from "lit-html";
import {kChoices} from "../model/units.js";

/** @typedef {import("./panel.js").PanelSpec} PanelSpec */
/** @typedef {import("./panel.js").MenuItem} MenuItem */
/** @typedef {(change: Partial<PanelSpec>) => void} Change */

/**
 * @typedef {object} Shown
 * @property {PanelSpec} spec @property {import("./panel.js").View} view
 * @property {"lin"|"log"|"asinh"} scale
 * @property {boolean} isDistribution @property {boolean} isMany more series than lines
 */

/** @type {[string, string][]} */
const kBands = [["mm", "min..max"], ["sd", "± sd"], ["off", "off"]];
/** @type {[string, string][]} */
const kScales = [["lin", "linear"], ["log", "log"], ["asinh", "asinh"]];
/** @type {[string, string][]} */
const kCompares = [["none", "nothing"], ["1d", "a day before"], ["1w", "a week before"]];

/** @type {[import("./panel.js").PanelAction, string][]} */
const kEdits = [["dashboard", "Add to a dashboard"], ["duplicate", "Duplicate"], ["up", "Move up"], ["down", "Move down"], ["remove", "Remove"]];

/** Views that a panel of these series has. @param {boolean} isDistribution @returns {import("./panel.js").View[]} */
export function viewsOf(isDistribution) {
  return isDistribution ? ["lines", "stack", "heatmap", "table"] : ["lines", "stack", "table"];
}

/**
 * @param {string} name @param {string} key @param {string} value @param {[string, string][]} choices
 * @param {(value: any) => void} chosen
 */
function choice(name, key, value, choices, chosen) {
  return html`<label class="control"><span>${name}${key ? html` <kbd>${key}</kbd>` : nothing}</span>
    <select @change=${(/** @type {Event} */ event) => chosen(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
    ${choices.map(([id, label]) => html`<option value=${id} ?selected=${id === value}>${label}</option>`)}</select></label>`;
}

/** @param {Shown} shown @param {string} title @param {Change} change */
export function controls({spec, view, scale, isDistribution, isMany}, title, change) {
  const isHeat = view === "heatmap";
  return html`<div class="panel-controls" role="group" aria-label="Controls of ${title}">
    ${choice("view", "v", view, viewsOf(isDistribution).map((id) => [id, id]), (chosen) => change({view: chosen}))}
    ${isHeat ? nothing : choice("band", "b", spec.band ?? "mm", kBands, (band) => change({band}))}
    ${choice("scale", "l", scale, kScales, (chosen) => change({scale: chosen}))}
    ${choice("unit", "", spec.unit ?? "auto", kChoices.map(({id, label}) => [id, label]), (unit) => change({unit}))}
    ${isHeat ? nothing : choice("compare", "w", spec.compare ?? "none", kCompares, (compare) => change({compare}))}
    ${isMany ? choice("top 20 by", "", spec.top ?? "max", [["max", "max"], ["avg", "avg"], ["last", "last"]], (top) => change({top})) : nothing}</div>`;
}

/**
 * @param {Shown} shown @param {Change} change
 * @param {(action: import("./panel.js").PanelAction, detail?: any) => void} act
 * @param {object} exports what can be saved and done now
 * @param {(() => void)|null} exports.csv @param {(() => void)|null} exports.png @param {(() => void)|null} exports.json
 * @param {((action: import("./panel.js").PanelAction) => boolean)|undefined} exports.can
 * @param {string} exports.curl @param {string} exports.command
 * @param {{from: number, until: number}} range
 * @returns {MenuItem[]}
 */
export function menuItems({spec, view, scale, isDistribution}, change, act, exports, range) {
  const line = {label: "", separator: true};
  const isTable = spec.view === "table";
  const isBig = spec.height === "XL";
  /** @param {string} label @param {string} key @param {boolean} checked @param {() => void} run @returns {MenuItem} */
  const state = (label, key, checked, run) => ({label, key, checked, run});
  /** @param {string} label @param {(() => void)|null} run @returns {MenuItem[]} */
  const file = (label, run) => run ? [{label, run}] : [];
  const compare = spec.compare ?? "none";
  return [
    {label: isBig ? "Close" : "Open large", key: isBig ? "Esc" : "Enter", run: () => act(isBig ? "close" : "open")},
    state("Table", "T", isTable, () => change({view: isTable ? undefined : "table"})),
    state("Stack", "v", view === "stack", () => change({view: view === "stack" ? "lines" : "stack"})),
    ...(isDistribution ? [state("Heatmap", "v", view === "heatmap", () => change({view: view === "heatmap" ? "lines" : "heatmap"}))] : []),
    line,
    ...(view === "heatmap" ? [] : [
      ...kBands.map(([id, label]) => state(`Band: ${label}`, "b", (spec.band ?? "mm") === id, () => change({band: /** @type {any} */ (id)}))),
      state("Mark unusual slots", "u", spec.unusual ?? false, () => change({unusual: !spec.unusual})),
      state("Compare with a day before", "w", compare === "1d", () => change({compare: compare === "1d" ? "none" : "1d"})),
      state("Compare with a week before", "w", compare === "1w", () => change({compare: compare === "1w" ? "none" : "1w"})),
    ]),
    ...(spec.limits ? [{label: "Value axis of all values", run: () => change({limits: undefined})}] : []),
    state("Logarithmic scale", "l", scale === "log", () => change({scale: scale === "log" ? "lin" : "log"})),
    line,
    ...file("Save as CSV", exports.csv), ...file("Save as PNG", exports.png), ...file("Save as JSON", exports.json),
    {label: "Copy as curl", run: () => act("copy", exports.curl)}, {label: "Copy as statmill query", run: () => act("copy", exports.command)},
    {label: "Copy link, moving", key: "y", run: () => act("link")}, {label: "Copy link, fixed times", key: "Y", run: () => act("fixed-link")},
    line,
    {label: "What changed here", key: "x", run: () => act("changes", {from: range.from, until: range.until})},
    ...kEdits.filter(([action]) => exports.can?.(action) ?? true).map(([action, label]) => ({label, run: () => act(action)})),
  ];
}

// The items of a panel's menu.

import {kBands} from "./controls.js";

/** @typedef {import("./controls.js").Shown} Shown */
/** @typedef {import("./controls.js").Change} Change */
/** @typedef {import("./panel.js").MenuItem} MenuItem */

/** @type {[import("./panel.js").PanelAction, string][]} */
const kEdits = [["dashboard", "Add to a dashboard"], ["duplicate", "Duplicate"], ["up", "Move up"], ["down", "Move down"], ["remove", "Remove"]];

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

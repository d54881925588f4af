// The row of controls below a large panel.

import {html, nothing} from "lit-html";
import {kChoices} from "../model/units.js";

/** @typedef {import("./panel.js").PanelSpec} PanelSpec */
/** @typedef {(change: Partial<PanelSpec>) => void} Change */

/**
 * @typedef {object} Shown
 * @property {PanelSpec} spec @property {import("./panel.js").View} view
 * @property {"lin"|"log"|"asinh"} scale
 * @property {boolean} isDistribution @property {boolean} isMany more series than lines
 */

/** @type {[string, string][]} */
export const kBands = [["mm", "min..max"], ["sd", "± sd"], ["off", "off"]];
/** @type {[string, string][]} */
const kScales = [["lin", "linear"], ["log", "log"], ["asinh", "asinh"]];
/** @type {[string, string][]} */
const kCompares = [["none", "nothing"], ["1d", "a day before"], ["1w", "a week before"]];

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

// The templates of a panel around its plot: heading with badges and tools, and what is below the plot.

import {html, nothing} from "lit-html";
import {shortened, visible} from "../model/format.js";
import {chance, tintScale} from "./badges.js";
import {controls} from "./controls.js";
import {histogram} from "./histogram.js";
import {lane, placed} from "./lane.js";
import {chips, table} from "./legend.js";
import {readout} from "./readout.js";

/** @typedef {import("./panel_data.js").PanelData} PanelData */
/** @typedef {import("./types.js").PanelSpec} PanelSpec */

const kCalls = 10;  // that make one page, unless the user says otherwise

/** An icon of the page's sprite. @param {string} name */
const icon = (name) => html`<svg class="icon" aria-hidden="true"><use href="#i-${name}"></use></svg>`;

/**
 * @param {PanelData} data @param {string} id of the heading
 * @param {{open: () => void, menu: (anchor: Element) => void}} acts
 */
export function heading(data, id, acts) {
  const title = data.title;
  const isBig = data.spec.height === "XL";
  return html`
    <h3 id=${id} title=${title}><bdi>${data.spec.title ? visible(title) : shortened(title, 64)}</bdi></h3>
    <p class="panel-badges num">${data.badges.map((badge) => html`<span class="panel-badge ${badge.tone}" title=${badge.title}>${badge.text}</span>`)}</p>
    <div class="panel-tools">
      <button type="button" class="tool" aria-label="${isBig ? "Close" : "Open large"}: ${title}" title="${isBig ? "Close (Esc)" : "Open large (Enter)"}"
        @click=${acts.open}>${icon(isBig ? "close" : "expand")}</button>
      <button type="button" class="tool" aria-haspopup="menu" aria-label="Menu of ${title}" title="Menu"
        @click=${(/** @type {Event} */ event) => acts.menu(/** @type {Element} */ (event.currentTarget))}>${icon("more")}</button>
    </div>`;
}

/**
 * Lane, controls, numbers, legend, and the histogram of a selection.
 * @param {PanelData} data which has a scene
 * @param {import("./plot.js").Plot} plot
 * @param {object} at
 * @param {number|null} at.time of the crosshair
 * @param {number|null} at.value where the pointer is, for cells of heatmaps
 * @param {import("./scene.js").Line|undefined} at.line that the numbers are of
 * @param {{column: string, down: boolean}} at.sort of the legend
 * @param {string[]} at.heat colours
 * @param {unknown} at.exemplars their template; null if none are shown
 * @param {object} acts
 * @param {(marks: import("./types.js").Mark[]) => void} acts.events those of one place are chosen
 * @param {(change: Partial<PanelSpec>) => void} acts.change
 * @param {(from: number, until: number) => void} acts.zoom
 * @param {Parameters<typeof chips>[2]} acts.legend
 * @param {(selection: {from: number, until: number}) => void} acts.changes what changed in the selection
 */
export function foot(data, plot, at, acts) {
  const scene = /** @type {import("./scene.js").Scene} */ (data.scene);
  const {spec} = data;
  const isBig = spec.height === "XL";
  const box = plot.box;
  // a table has no time axis
  const marks = spec.view === "table" ? [] : placed(data.marks, (time) => plot.x(time), box.width);
  const many = scene.lines.length > 1 || scene.rest || scene.before.length;
  let legend;
  if (scene.heat) legend = tintScale(scene, at.heat);
  else if (data.isLarge) legend = table(scene, at.time, acts.legend, at.sort, data.title);
  else legend = many ? chips(scene, at.time, acts.legend) : nothing;
  const selection = data.selection;
  return html`${lane(marks, box.left, scene.zone, (some) => acts.events(some))}
    ${isBig ? controls(data.shown, data.title, acts.change) : nothing}
    ${readout(scene, at.time, at.line, at.value, acts.zoom)}${legend}
    ${isBig && data.isDistribution ? chance(scene, spec.calls ?? kCalls, (calls) => acts.change({calls})) : nothing}
    ${selection ? histogram(selection, scene, {close: () => acts.change({box: undefined}), changes: () => acts.changes(selection)}) : nothing}${at.exemplars}`;
}

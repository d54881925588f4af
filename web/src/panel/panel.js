// One panel: its frame and controls around a plot, a heatmap or a table. A screen makes it with createPanel, asks
// panelQueries what to request for it, and passes the answers to update. The panel itself requests nothing.

import {nothingLearnt} from "./panel_data.js";
import {PanelView} from "./panel_view.js";
import {queriesOf} from "./queries.js";

/** @typedef {import("./types.js").PanelSpec} PanelSpec */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").PanelRange} PanelRange */
/** @typedef {import("./types.js").BatchQuery} BatchQuery */
/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Answers} Answers */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").PanelHost} PanelHost */
/** @typedef {import("./types.js").PanelAction} PanelAction */
/** @typedef {import("./types.js").MenuItem} MenuItem */
/** @typedef {import("./types.js").Panel} Panel */

/**
 * The queries that a panel of this width needs, all of one batch, before it has had an answer.
 * @param {PanelSpec} spec
 * @param {PanelRange} range
 * @param {number} width of the panel in CSS px
 * @returns {BatchQuery[]}
 */
export function panelQueries(spec, range, width) {
  return queriesOf(spec, range, width, nothingLearnt());
}

/**
 * @param {HTMLElement} element is filled by the panel, and empty after destroy
 * @param {{host: PanelHost, pool: import("./pool.js").PlotPool, palette?: import("../model/colors.js").Palette}} needs a palette that panels share gives a
 *   name the same colour in all of them
 * @returns {Panel}
 */
export function createPanel(element, needs) {
  return new PanelView(element, needs);
}

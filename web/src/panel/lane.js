// The lane under the time axis: losses as triangles, events as diamonds, each a button with its text.

import {html, nothing} from "lit-html";
import {styleMap} from "./style_map.js";
import {span, visible} from "../model/format.js";

/** Marks nearer than this, in CSS px, are one button. */
const kApart = 10;
const kMarksMax = 100;

/** @typedef {import("./panel.js").Mark} Mark */

/**
 * Marks in the view, those at about the same place together.
 * @param {Mark[]} marks @param {(time: number) => number} x CSS px from the left of the plot @param {number} width
 * @returns {{left: number, marks: Mark[]}[]}
 */
export function placed(marks, x, width) {
  /** @type {{left: number, marks: Mark[]}[]} */
  const places = [];
  for (const mark of [...marks].sort((a, b) => a.time - b.time)) {
    const left = x(mark.time);
    if (left < 0 || left > width) continue;
    const before = places[places.length - 1];
    if (before && left - before.left < kApart) before.marks.push(mark);
    else if (places.length < kMarksMax) places.push({left, marks: [mark]});
  }
  return places;
}

/**
 * @param {{left: number, marks: Mark[]}[]} places @param {number} offset left edge of the plot in CSS px
 * @param {string} zone @param {(marks: Mark[]) => void} chosen
 */
export function lane(places, offset, zone, chosen) {
  if (places.length === 0) return nothing;
  return html`<div class="panel-lane" role="group" aria-label="Losses and events">${places.map(({left, marks}) => {
    const isLoss = marks.some((mark) => mark.kind === "loss");
    const words = marks.map((mark) => `${span(mark.time, mark.until ?? mark.time, zone, {seconds: true}).replace(/–.*$/, "")} ${visible(mark.title)}`).join("\n");
    return html`<button type="button" class="mark ${isLoss ? "loss" : "event"}" ${styleMap({left: `${Math.round(offset + left)}px`})} title=${words}
      data-time=${marks[0].time} aria-label=${`${words}: what changed after it`} @click=${() => chosen(marks)}>${isLoss ? "▲" : "◆"}</button>`;
  })}</div>`;
}

/**
 * Puts the marks of a lane where their times are now, without a change of the marks themselves.
 * @param {HTMLElement} around the lane's surroundings @param {(time: number) => number} x CSS px from the left of the plot
 * @param {{left: number, width: number}} box of the plot
 */
export function moveLane(around, x, {left, width}) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (around.querySelectorAll(".panel-lane button"))) {
    const at = x(Number(button.dataset.time));
    button.style.left = `${Math.round(left + at)}px`;
    button.style.visibility = at < 0 || at > width ? "hidden" : "";
  }
}

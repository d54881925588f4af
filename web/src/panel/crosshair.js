// The crosshair above a plot: the slot, a line, dots on the lines, and what is being selected.

import {slotAt} from "../model/step.js";
import {percentiles} from "./value_scale.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {{left: number, right: number, top: number|null, bottom: number|null}} Selection in CSS px of the plotting area */

/** @param {string} name of its class @param {Record<string, number>} place in CSS px */
function part(name, place) {
  const element = document.createElement("div");
  element.className = name;
  for (const [side, value] of Object.entries(place)) element.style.setProperty(side, `${value}px`);
  return element;
}

export class Crosshair {
  #layer;
  #plot;
  /** @type {Selection|null} */
  #selection = null;

  /** @param {HTMLElement} layer @param {import("./plot.js").Plot} plot */
  constructor(layer, plot) {
    this.#layer = layer;
    this.#plot = plot;
  }

  /** What is being dragged; null when that has ended. @param {Selection|null} selection */
  select(selection) {
    this.#selection = selection;
  }

  /**
   * @param {Scene|null} scene null hides it
   * @param {{time: number|null, isPinned: boolean, mark: number|null}} at `mark` is one end of a selection by keys
   */
  draw(scene, {time, isPinned, mark}) {
    const plot = this.#plot;
    const box = plot.box;
    const view = plot.view;
    const isShown = scene !== null && time !== null && time >= view.from && time < view.until;
    this.#layer.hidden = !isShown && !this.#selection;
    if (!scene || this.#layer.hidden) return;
    const pieces = [];
    if (isShown && time !== null) pieces.push(...this.#at(scene, time, isPinned));
    if (this.#selection) {
      const {left, right, top, bottom} = this.#selection;
      pieces.push(part("cross-select", {left, width: right - left, ...(top !== null && bottom !== null ? {top, height: bottom - top} : {})}));
    } else if (mark !== null && time !== null) {
      const start = plot.x(mark);
      const end = plot.x(time);
      pieces.push(part("cross-select", {left: Math.min(start, end), width: Math.abs(end - start)}));
    }
    const style = this.#layer.style;
    style.left = `${box.left}px`;
    style.top = `${box.top}px`;
    style.width = `${box.width}px`;
    style.height = `${box.height}px`;
    this.#layer.replaceChildren(...pieces);
  }

  /** @param {Scene} scene @param {number} time @param {boolean} isPinned */
  #at(scene, time, isPinned) {
    const plot = this.#plot;
    const box = plot.box;
    const slot = slotAt(scene, time);
    const isInside = time >= scene.from && time < scene.until;
    const from = Math.max(0, plot.x(scene.from + slot * scene.step));
    const until = Math.min(box.width, plot.x(scene.from + (slot + 1) * scene.step));
    const middle = Math.round(isInside ? (from + until) / 2 : plot.x(time));
    const pieces = isInside ? [part("cross-slot", {left: from, width: Math.max(0, until - from)})] : [];
    pieces.push(part(`cross-line${isPinned ? " pinned" : ""}`, {left: middle}));
    for (const {value, paint} of isInside ? dotsOf(scene, slot) : []) {
      const y = value === null || value === undefined ? null : plot.y(value);
      if (y !== null && y >= 0 && y <= box.height) pieces.push(part(`cross-dot paint-${paint}`, {left: middle, top: Math.round(y)}));
    }
    return pieces;
  }
}

/** @param {Scene} scene @param {number} slot @returns {{value: number|null|undefined, paint: number}[]} */
function dotsOf(scene, slot) {
  if (scene.heat) return percentiles(scene).map(({stat}) => ({value: /** @type {any} */ (scene.lines[0].columns)[stat][slot], paint: 0}));
  if (scene.view === "stack") return [];
  return scene.lines.filter((line) => !line.hidden).map((line) => ({value: line.values[slot], paint: line.paint.index}));
}

/**
 * The line whose value at a time is nearest to the pointer; undefined where no line stands for itself.
 * @param {Scene} scene @param {import("./plot.js").Plot} plot @param {number} time @param {number} top CSS px
 */
export function nearestLine(scene, plot, time, top) {
  const shown = scene.lines.filter((line) => !line.hidden);
  if (shown.length < 2 || scene.view === "stack") return undefined;
  const slot = slotAt(scene, time);
  let best;
  let least = Infinity;
  for (const line of shown) {
    const value = line.values[slot];
    const y = value === null || value === undefined ? null : plot.y(value);
    const distance = y === null ? Infinity : Math.abs(y - top);
    if (distance < least) {
      least = distance;
      best = line;
    }
  }
  return best;
}

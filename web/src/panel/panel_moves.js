// What pointers do to a panel: the crosshair, selections, and moves of the range that all panels of the screen follow.

import {changed, kShortest} from "../model/range.js";
import {moveLane} from "./lane.js";

/** Pixels within which a click on the pinned crosshair removes it. */
const kNear = 4;

/**
 * @typedef {object} Moved what pointers act on
 * @property {import("./panel_data.js").PanelData} data
 * @property {import("./plot.js").Plot} plot
 * @property {import("./types.js").PanelHost} host
 * @property {(at: {left: number, top: number}|null) => void} point the pointer is there, or has left
 * @property {(selection: import("./crosshair.js").Selection|null) => void} select something is being selected
 * @property {(change: Partial<import("./types.js").PanelSpec>) => void} change
 * @property {(time: number|null, value: number) => void} cell the cell of a heatmap was clicked; null: the crosshair there is gone
 * @property {() => void} focus
 */

/** To whole seconds, and never to less than the shortest range. @param {import("./types.js").PanelHost} host @param {number} from @param {number} until */
export function zoom(host, from, until) {
  const middle = (from + until) / 2;
  const half = Math.max(until - from, kShortest) / 2;
  host.setRange(Math.floor(middle - half), Math.ceil(middle + half), true);
}

/** @param {Moved} on @returns {import("./interact.js").Moves} */
export function movesOf({data, plot, host, point, select, change, cell, focus}) {
  return {
    box: () => plot.box,
    get boxes() { return data.scene !== null && data.scene.heat !== null; },
    hover: (left, top) => {
      host.setCrosshair(left === null || !plot.canvas ? null : plot.timeAt(left));
      point(left === null || top === null ? null : {left, top});
    },
    pin: (left, top) => {
      const pinned = host.pinned();
      const isNear = pinned !== null && data.scene !== null && Math.abs(plot.x(pinned) - left) < kNear;
      host.pin(isNear ? null : plot.timeAt(left));
      if (data.scene?.heat && plot.canvas) cell(isNear ? null : plot.timeAt(left), plot.valueAt(top));
      focus();
    },
    selecting: select,
    selected: ({left, right, top, bottom}) => {
      const from = plot.timeAt(left);
      const until = plot.timeAt(right);
      if (top === null || bottom === null || !data.scene) zoom(host, from, until);
      else {
        const [low, high] = [bottom, top].map((y) => Number(plot.valueAt(y).toPrecision(6)));
        change({box: [Math.floor(from), Math.ceil(until), low, high]});
      }
    },
    move: (scale, at, shift, done) => {
      const next = changed(plot.view, {scale, at: plot.timeAt(at)});
      const moved = shift / Math.max(1, plot.box.width) * (next.until - next.from);
      host.setRange(next.from - moved, next.until - moved, done);
    },
    values: (top, bottom) => change({limits: top === bottom ? undefined : [plot.valueAt(bottom), plot.valueAt(top)]}),
    back: () => host.back(),
  };
}

/**
 * How a panel follows a move of the range. The crosshair and the numbers return when it has ended.
 * @param {object} on
 * @param {import("./plot.js").Plot} on.plot
 * @param {import("./crosshair.js").Crosshair} on.crosshair
 * @param {HTMLElement} on.foot
 * @param {() => boolean} on.canMove
 * @returns {import("./types.js").RangeListener & {end: () => void}} `end`: the panel is drawn as a whole again
 */
export function followingOf({plot, crosshair, foot, canMove}) {
  let isMoving = false;
  return {
    move: (from, until) => {
      isMoving = canMove() && plot.canvas !== null;
      if (isMoving) plot.move(from, until);
    },
    draw: () => { if (isMoving && plot.canvas) plot.drawMoved(); },
    place: () => {
      if (!isMoving || !plot.canvas) return;
      crosshair.draw(null, {time: null, isPinned: false, mark: null});
      moveLane(foot, (time) => plot.x(time), plot.box);
    },
    end: () => { isMoving = false; },
  };
}

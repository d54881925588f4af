// What the live stream brings to the panels of a grid: open slots, and seconds as the differences between them.

import { createLiveSlots, withLive } from "../data/live_slots.js";
import { finestSlot } from "../model/step.js";
import { Seconds } from "../model/seconds.js";

/** @typedef {import("./panel_grid.js").Cell} Cell */
/** @typedef {import("../panel/panel.js").Answer} Answer */

/**
 * @param {import("../app.js").App} app
 * @param {() => Iterable<Cell>} cellsOf
 * @param {() => void} onMoved some cells have `isMoved` now
 * @param {() => void} onMissed the answers lack what came while there was no stream
 */
export function createGridLive(app, cellsOf, onMoved, onMissed) {
  const live = createLiveSlots();
  const seconds = new Seconds();
  /** @type {(() => void)|null} */
  let unwatch = null;
  let watched = "";

  /** The series of a cell's main answer. @param {Cell} cell @returns {any[]} */
  const seriesOf = (cell) => cell.answers[cell.spec.id]?.series ?? [];

  /** @param {Answer} answer @returns {Answer} */
  function withSeconds(answer) {
    if (!Array.isArray(answer.series) || answer.counts !== undefined) return answer;
    const names = answer.series.map((one) => one?.name).filter((name) => typeof name === "string");
    return /** @type {any} */ ({ ...answer, seconds: Object.fromEntries(names.map((name) => [name, seconds.of(name)])) });
  }

  return {
    /** Watches the series that panels in view show, while the page is live. */
    watch() {
      const { live: isLive, until } = app.route();
      const near = isLive === "1" && until === "now" ? [...cellsOf()].filter((cell) => cell.isNear) : [];
      const names = [...new Set(near.flatMap((cell) => seriesOf(cell).map((one) => one?.name)).filter((name) => typeof name === "string"))].sort();
      const key = names.join("\n");
      if (key === watched) return;
      // seconds of other series are of no use any more, and would only grow
      if (!watched.split("\n").some((name) => names.includes(name))) seconds.clear();
      watched = key;
      unwatch?.();
      unwatch = null;
      live.clear();
      if (names.length === 0) return;
      unwatch = app.live.watch({
        series: names,
        onBreak(hasMissed) {
          live.clear();
          if (hasMissed) onMissed();
        },
        onSlots(slots, now) {
          // the stream tells of the finest slots that every series has
          live.add(/** @type {any} */ (slots), now, finestSlot(app.server.get().status?.retention));
          const all = [...cellsOf()];
          const kinds = new Map(all.flatMap((cell) => seriesOf(cell).map((one) => [one?.name, one?.kind])));
          for (const slot of slots) if (kinds.has(slot.name)) seconds.add(slot.name, kinds.get(slot.name), /** @type {any} */ (slot), now);
          const told = new Set(slots.map((slot) => slot.name));
          for (const cell of all) if (cell.isNear && seriesOf(cell).some((one) => told.has(one?.name))) cell.isMoved = true;
          onMoved();
        },
      });
    },
    /** The answers of a cell with what the stream has told since. @param {Cell} cell @param {number} now @returns {Record<string, Answer>} */
    joined(cell, now) {
      const main = cell.answers[cell.spec.id];
      if (unwatch === null || main === undefined) return cell.answers;
      return { ...cell.answers, [cell.spec.id]: withSeconds(withLive(main, live, now)) };
    },
    stop() {
      unwatch?.();
      unwatch = null;
    },
  };
}

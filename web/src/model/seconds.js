// Seconds out of slots: the live stream tells each second what the open slot has so far, so the difference of two is what
// came between. They are by arrival, and this tab alone keeps them.

/** How long seconds are kept. */
export const kKept = 900;
/** A pause of the stream that is longer leaves a hole. */
const kPause = 3.5;

/** @typedef {{t: number, sum: number, count?: number}} Slot the open slot so far */
/** @typedef {[number, number|null]} Second time of its end, and average or rate; null after a pause */

export class Seconds {
  /** @type {Map<string, {slot: Slot, now: number, points: Second[]}>} */
  #series = new Map();

  /**
   * @param {string} name @param {string} kind of the series
   * @param {Slot} slot @param {number} now when it was so
   */
  add(name, kind, slot, now) {
    const before = this.#series.get(name);
    if (!before) {
      this.#series.set(name, {slot, now, points: []});
      return;
    }
    if (slot.t < before.slot.t || now <= before.now) return;
    const same = slot.t === before.slot.t;
    // A new slot begins from nothing; what the old one still got meanwhile is in neither.
    const sum = slot.sum - (same ? before.slot.sum : 0);
    const count = (slot.count ?? 0) - (same ? before.slot.count ?? 0 : 0);
    const passed = now - (same ? before.now : Math.max(before.now, slot.t));
    const isRate = kind === "event" || kind === "counter";
    const value = isRate ? (passed > 0 ? sum / passed : null) : count > 0 ? sum / count : null;
    if (now - before.now > kPause) before.points.push([before.now, null]);
    if (value !== null && (!isRate || passed >= 0.5)) before.points.push([now, value]);
    while (before.points.length && before.points[0][0] < now - kKept) before.points.shift();
    before.slot = slot;
    before.now = now;
  }

  /** @param {string} name @returns {Second[]} */
  of(name) {
    return this.#series.get(name)?.points ?? [];
  }

  clear() {
    this.#series.clear();
  }
}

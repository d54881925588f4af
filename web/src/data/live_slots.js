// Joins the slots of the live stream to the answer of a query, so that a panel moves each second without a request. A
// slot of the answer is computed anew from the stored slots in it, if the stream has told of all of them.

/** @typedef {import("../panel/panel.js").Answer} Answer */
/** @typedef {{t: number, sum: number, count?: number, min?: number, max?: number}} StoredSlot */

export const kSlotsMax = 30;  // stored slots that are kept of each series
const kTold = 6;              // slots before the open one that the stream tells of at its start

export function createLiveSlots() {
  /** @type {Map<string, Map<number, StoredSlot>>} */
  const series = new Map();
  let knownFrom = Infinity;
  let length = 0;
  return {
    /**
     * @param {(StoredSlot & {name: string})[]} slots
     * @param {number} now
     * @param {number} seconds of a stored slot
     */
    add(slots, now, seconds) {
      length = seconds;
      if (knownFrom === Infinity) knownFrom = (Math.floor(now / seconds) - kTold) * seconds;
      for (const slot of slots) {
        let own = series.get(slot.name);
        if (own === undefined) series.set(slot.name, own = new Map());
        own.set(slot.t, slot);
        if (own.size > kSlotsMax) {
          for (const t of [...own.keys()].sort((a, b) => a - b).slice(0, own.size - kSlotsMax)) own.delete(t);
          knownFrom = Math.max(knownFrom, now - kSlotsMax * seconds);
        }
      }
    },
    /** @param {string} name */
    of: (name) => series.get(name),
    /** Seconds of a stored slot. */
    get length() {
      return length;
    },
    get knownFrom() {
      return knownFrom;
    },
    /** After a break nothing is known of the time between. */
    clear() {
      series.clear();
      knownFrom = Infinity;
    },
  };
}

/** @typedef {ReturnType<typeof createLiveSlots>} LiveSlots */

/**
 * Slots as those of a coarser tier: the rates of events are of stored slots.
 * @param {StoredSlot[]} slots @param {number} tier
 * @returns {StoredSlot[]}
 */
function rolledUp(slots, tier) {
  /** @type {Map<number, StoredSlot>} */
  const found = new Map();
  for (const slot of slots) {
    const t = Math.floor(slot.t / tier) * tier;
    const into = found.get(t);
    found.set(t, !into ? {...slot, t} : {
      t, sum: into.sum + slot.sum, count: (into.count ?? 1) + (slot.count ?? 1),
      min: Math.min(into.min ?? into.sum, slot.min ?? slot.sum), max: Math.max(into.max ?? into.sum, slot.max ?? slot.sum),
    });
  }
  return [...found.values()];
}

/**
 * The statistics of one slot of an answer.
 * @param {string} kind
 * @param {StoredSlot[]} slots the stored ones in it that have samples
 * @param {{begin: number, step: number, tier: number, now: number}} at
 * @returns {Record<string, number>}
 */
export function statsOf(kind, slots, { begin, step, tier, now }) {
  const sum = slots.reduce((total, slot) => total + slot.sum, 0);
  if (kind === "event" || kind === "counter") {
    const passed = (/** @type {number} */ from, /** @type {number} */ length) => Math.max(1, Math.min(length, now - from));
    const rates = slots.map((slot) => slot.sum / passed(slot.t, tier));
    const stored = Math.ceil(passed(begin, step) / tier);
    // an event series is 0 where it has no samples, a counter is unknown there
    if (kind === "event" && slots.length < stored) rates.push(0);
    const time = kind === "event" ? passed(begin, step) : slots.reduce((total, slot) => total + passed(slot.t, tier), 0);
    return {
      sum, rate: sum / time, avg: sum / time, min: Math.min(...rates), max: Math.max(...rates), count: kind === "event" ? stored : slots.length,
    };
  }
  const count = slots.reduce((total, slot) => total + (slot.count ?? 1), 0);
  return {
    sum, count, avg: sum / count, rate: sum / Math.max(1, Math.min(step, now - begin)),
    min: Math.min(...slots.map((slot) => slot.min ?? slot.sum)), max: Math.max(...slots.map((slot) => slot.max ?? slot.sum)),
  };
}

const kStats = ["sum", "rate", "avg", "min", "max", "count"];

/**
 * The answer with what the stream has told since; the same object if that is nothing.
 * @param {Answer} answer
 * @param {LiveSlots} live
 * @param {number} now
 * @returns {Answer}
 */
export function withLive(answer, live, now) {
  const { from, step, tier, series } = answer;
  if (from === undefined || step === undefined || !tier || !Array.isArray(series) || answer.counts !== undefined) return answer;
  // The stream does not tell of slots that are finer than those that every series has.
  if (step % tier !== 0 || tier % live.length !== 0 || !Number.isFinite(live.knownFrom)) return answer;
  const first = Math.max(0, Math.ceil((live.knownFrom - from) / step));
  let length = 0;
  for (const one of series) length = Math.max(length, ...kStats.filter((stat) => Array.isArray(one[stat])).map((stat) => one[stat].length));
  let last = length - 1;
  let isChanged = false;
  for (const one of series) {
    for (const t of live.of(one.name)?.keys() ?? []) {
      if (t <= now) last = Math.max(last, Math.floor((t - from) / step));
    }
  }
  const joined = series.map((one) => {
    const own = live.of(one.name);
    const isLonger = last >= length;
    if (own === undefined && !isLonger) return one;
    /** @type {any} */
    const next = { ...one };
    for (const [key, column] of Object.entries(one)) {
      if (!Array.isArray(column)) continue;
      next[key] = [...column, ...Array(Math.max(0, last + 1 - column.length)).fill(null)];
      isChanged ||= isLonger;
    }
    for (let i = first; own !== undefined && i <= last; ++i) {
      const begin = from + i * step;
      const slots = [...own.values()].filter((slot) => slot.t >= begin && slot.t < begin + step);
      if (slots.length === 0) continue;
      const stats = statsOf(one.kind, tier > live.length ? rolledUp(slots, tier) : slots, { begin, step, tier, now });
      for (const stat of kStats) {
        if (Array.isArray(next[stat])) {
          next[stat][i] = stats[stat];
          isChanged = true;
        }
      }
    }
    return next;
  });
  return isChanged ? { ...answer, at: now, series: joined, until: Math.max(answer.until ?? 0, from + (last + 1) * step) } : answer;
}

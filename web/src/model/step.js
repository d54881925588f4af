// Slots: how many to ask for, how wide they are, and which one is still open.

import {duration} from "./range.js";

/** The finest stored slot that every series has, unless the server's retention says otherwise. In seconds. */
export const kFinest = 10;

/** The steps that a server with usual tiers chooses from, in seconds. */
const kSteps = [1, 2, 5, 10, 20, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600];

/**
 * Slots to ask for in a plot of this width: 2 px each, so that their extremes are in the band.
 * @param {number} width in CSS px
 */
export function maxPoints(width) {
  return Math.max(60, Math.min(1000, Math.round(width / 2)));
}

/** The same for a heatmap, whose columns are 3 px. @param {number} width */
export function maxColumns(width) {
  return Math.max(40, Math.min(500, Math.round(width / 3)));
}

/** Powers of two that the values of a distribution usually span. */
const kPowers = 16;

/**
 * Into how many rows each power of two of a heatmap is cut, as a power of two, so that a row is seen. It depends on the
 * height alone: the same range is the same picture, whatever was drawn before.
 * @param {number} height of the plot in CSS px
 * @returns {number} 0 to 3
 */
export function grouping(height) {
  for (let power = 3; power > 0; --power) if (height / (kPowers * 2 ** power) >= 2) return power;
  return 0;
}

/**
 * The finest slot that is stored of data of an age, by a retention such as `10s:10d,5m:1y,1h:6y`. In seconds.
 * @param {unknown} retention @param {number} [age] in seconds
 */
export function finestSlot(retention, age = 0) {
  if (typeof retention !== "string") return kFinest;
  for (const tier of retention.split(",")) {
    const [step, kept] = tier.split(":").map((text) => duration(text));
    if (step !== null && step >= 1 && kept !== null && age <= kept) return step;
  }
  return kFinest;
}

/** Whether all series that an expression names are series of hosts. @param {string} expr */
export function isOfHosts(expr) {
  const paths = [...expr.matchAll(/\{\s*"([^"]+)"/g)].map((found) => found[1]);
  return paths.length > 0 && paths.every((path) => path.startsWith("host."));
}

/**
 * A round step for an expression whose window must be known before it is asked.
 * @param {number} from @param {number} until @param {number} points at most
 * @param {number} finest seconds of the finest slot that expressions read
 */
export function roundStep(from, until, points, finest) {
  const least = (until - from) / Math.max(1, points);
  return kSteps.find((step) => step >= least && step >= finest) ?? Math.ceil(least / 604800) * 604800;
}

/**
 * Index of the slot that is still open, or -1.
 * @param {{from: number, until: number, step: number}} answer @param {number} now
 */
export function openSlot({from, until, step}, now) {
  const index = Math.floor((now - from) / step);
  return now >= from && now < until ? Math.min(index, Math.round((until - from) / step) - 1) : -1;
}

/**
 * Index of the slot that a time is in, clamped to the answer's slots.
 * @param {{from: number, until: number, step: number}} answer @param {number} time
 */
export function slotAt({from, until, step}, time) {
  const slots = Math.max(1, Math.round((until - from) / step));
  return Math.max(0, Math.min(slots - 1, Math.floor((time - from) / step)));
}

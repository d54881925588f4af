// A heatmap: a cell for each slot and bucket, tinted by samples per second and per power of two, so that buckets of unequal
// height compare. One sample is seen: its tint is the third stop of the ramp.

import {heatPlace, kHeatStops, ramp} from "../model/colors.js";

/** Height of the strip for zeros below a logarithmic axis, in CSS px. */
export const kZeroStrip = 7;
const kTints = 64;

/** @typedef {import("./scene.js").Scene} Scene */

/**
 * Height of a bucket in powers of two; zeros and buckets around zero count as one power.
 * @param {number[]} bucket
 */
function powers([low, high]) {
  return low > 0 && high > low ? Math.log2(high / low) : high < 0 && low < high ? Math.log2(low / high) : 1;
}

/** Seconds in which the samples of a slot came: of the one under way, those that have passed. @param {Scene} scene @param {number} slot */
function secondsOf(scene, slot) {
  return slot === scene.open ? Math.max(1, Math.min(scene.step, scene.now - scene.from - slot * scene.step)) : scene.step;
}

/**
 * The least and the greatest density of cells that have samples.
 * @param {Scene} scene
 * @returns {{least: number, most: number}} samples per second and power of two
 */
export function densities(scene) {
  let least = Infinity;
  let most = 0;
  const heat = scene.heat;
  heat?.buckets.forEach((bucket, row) => {
    const high = powers(bucket);
    least = Math.min(least, 1 / (scene.step * high));
    heat.counts[row].forEach((cell, slot) => { most = Math.max(most, cell / (secondsOf(scene, slot) * high)); });
  });
  return {least, most};
}

/**
 * The lowest and highest edge above zero, and whether there are zeros or negative numbers.
 * @param {Scene} scene
 */
export function heatRange(scene) {
  let low = Infinity;
  let high = -Infinity;
  let zero = false;
  let negative = false;
  for (const [from, until] of scene.heat?.buckets ?? []) {
    if (from === 0 && until === 0) zero = true;
    else if (from < 0) negative = true;
    else {
      // The bucket from 0 to 1 of small whole numbers has no lower edge on a logarithmic axis.
      if (from > 0) low = Math.min(low, from);
      else low = Math.min(low, until / 2);
      high = Math.max(high, until);
    }
  }
  return {low, high, zero, negative};
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {object} frame
 * @param {(time: number) => number} frame.x @param {(value: number) => number} frame.y
 * @param {{left: number, top: number, width: number, height: number}} frame.box @param {number} frame.ratio
 * @param {boolean} frame.isLog @param {string[]} frame.stops
 */
export function drawHeat(context, scene, {x, y, box, ratio, isLog, stops}) {
  const heat = scene.heat;
  if (!heat) return;
  const {least, most} = densities(scene);
  /** @type {Path2D[]} */
  const tints = [];
  const edges = Array.from({length: scene.slots + 1}, (_, slot) => Math.round(x(scene.from + slot * scene.step)));
  const bottom = box.top + box.height;
  const right = box.left + box.width;
  heat.buckets.forEach((bucket, row) => {
    const [from, until] = bucket;
    let low;
    let high;
    if (isLog && from === 0 && until === 0) {
      high = bottom - Math.round(kZeroStrip * ratio) + 1;
      low = bottom;
    } else if (isLog && until <= 0) return;
    else {
      low = Math.round(isLog && from <= 0 ? y(until / 2) : y(from));
      high = Math.round(y(until));
    }
    const height = Math.max(1, low - high);
    const powersHigh = powers(bucket);
    const counts = heat.counts[row];
    for (let slot = 0; slot < counts.length; ++slot) {
      if (!counts[slot] || edges[slot + 1] <= box.left || edges[slot] >= right) continue;
      const tint = Math.round(heatPlace(counts[slot] / (secondsOf(scene, slot) * powersHigh), least, most) * (kTints - 1));
      (tints[tint] ??= new Path2D()).rect(edges[slot], low - height, Math.max(1, edges[slot + 1] - edges[slot]), height);
    }
  });
  tints.forEach((path, tint) => {
    context.fillStyle = ramp(stops, tint / (kTints - 1));
    context.fill(path);
  });
}

/** Stops that cells use, from one sample on. @param {string[]} stops */
export function usedStops(stops) {
  return stops.slice(2, kHeatStops);
}

/**
 * The cells in a box of times and values.
 * @param {Scene} scene
 * @param {{from: number, until: number, low: number, high: number}} box
 * @returns {{rows: {low: number, high: number, count: number}[], count: number, from: number, until: number}} times of whole slots
 */
export function selected(scene, {from, until, low, high}) {
  const first = Math.max(0, Math.floor((from - scene.from) / scene.step));
  const end = Math.min(scene.slots, Math.ceil((until - scene.from) / scene.step));
  const rows = [];
  let count = 0;
  for (let row = 0; row < (scene.heat?.buckets.length ?? 0); ++row) {
    const [bottom, top] = scene.heat?.buckets[row] ?? [0, 0];
    if (top <= low && !(top === 0 && low <= 0) || bottom >= high) continue;
    let sum = 0;
    for (let slot = first; slot < end; ++slot) sum += scene.heat?.counts[row][slot] ?? 0;
    rows.push({low: bottom, high: top, count: sum});
    count += sum;
  }
  return {rows, count, from: scene.from + first * scene.step, until: scene.from + end * scene.step};
}

/**
 * The cell at a time and value, and the share of the slot's samples above it.
 * @param {Scene} scene @param {number} slot @param {number} value
 * @returns {{low: number, high: number, count: number, above: number}|null} `above` from 0 to 1
 */
export function cellAt(scene, slot, value) {
  const heat = scene.heat;
  if (!heat) return null;
  let all = 0;
  let above = 0;
  let found = null;
  heat.buckets.forEach(([low, high], row) => {
    const count = heat.counts[row][slot] ?? 0;
    all += count;
    if (low >= value && value > 0) above += count;
    if (value >= low && (value < high || low === high && value === low)) found = {low, high, count};
  });
  return found ? {.../** @type {{low: number, high: number, count: number}} */ (found), above: all ? above / all : 0} : null;
}

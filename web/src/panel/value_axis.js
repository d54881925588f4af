// Ticks of a value axis: round numbers of the unit as it is shown, so bytes have powers of two and times have minutes.

import {axis, prefixOf} from "../model/format.js";

/** @typedef {import("../model/units.js").Unit} Unit */

const kSteps = [1, 2, 5];
const kBinarySteps = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const kSexagesimal = [1, 2, 5, 10, 15, 30];

/**
 * The smallest round step that is not smaller than `least`, both in shown units.
 * @param {number} least @param {Unit} unit @param {number} scale of the prefix
 */
function roundStep(least, unit, scale) {
  const choices = unit.base === "binary" && least >= 1 ? kBinarySteps : unit.base === "time" && scale >= 60 && least >= 1 ? kSexagesimal : null;
  const chosen = choices?.find((step) => step >= least);
  if (chosen) return chosen;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const step of kSteps) if (step * power >= least * 0.9999999) return step * power;
  return 10 * power;
}

/**
 * @param {number} low @param {number} high in the server's units @param {Unit} unit @param {number} count of ticks at most
 * @returns {{ticks: number[], step: number}} in the server's units
 */
export function linearTicks(low, high, unit, count) {
  const prefix = prefixOf(Math.max(Math.abs(low), Math.abs(high)) * unit.factor, unit);
  const scale = prefix.scale / unit.factor;
  const step = roundStep((high - low) / scale / Math.max(1, count), unit, prefix.scale);
  const ticks = [];
  for (let at = Math.ceil(low / scale / step - 1e-9); at * step <= high / scale + step * 1e-9 && ticks.length < 50; ++at) ticks.push(at * step * scale);
  return {ticks: ticks.map((tick) => Number(tick.toPrecision(12))), step: step * scale};
}

/**
 * Limits of a linear axis that begin and end at ticks, with room above.
 * @param {number} low @param {number} high @param {Unit} unit @param {number} count
 * @returns {[number, number]}
 */
export function niceLimits(low, high, unit, count) {
  let from = low;
  let until = high;
  if (from === until) {
    const room = Math.abs(from) * 0.1 || 1 / Math.abs(unit.factor);
    until += room;
    if (from !== 0) from -= room;
  }
  const {step} = linearTicks(from, until, unit, count);
  const bottom = Math.floor(from / step + 1e-9) * step;
  const top = Math.ceil(until / step - 1e-9) * step;
  // A line that would touch the frame gets a quarter of a step more.
  return [bottom, top - until < step * 0.04 ? top + step * 0.25 : top];
}

/**
 * Ticks of a logarithmic axis: powers of ten of the shown unit, and 2 and 5 of them where there is room. Units of
 * time change from seconds to minutes and hours, so above a second round readings are taken.
 * @param {number} low @param {number} high @param {Unit} unit @param {number} count
 * @returns {number[]}
 */
export function logTicks(low, high, unit, count) {
  if (!(low > 0) || !(high > low)) return [];
  const from = low * unit.factor;
  const until = high * unit.factor;
  const all = [];
  if (unit.base === "binary") {
    for (let power = Math.floor(Math.log2(from)); power <= Math.ceil(Math.log2(until)); ++power) all.push(2 ** power);
  } else {
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(until)); ++power) {
      for (const step of [1, 2, 5]) all.push(Number((step * 10 ** power).toPrecision(3)));
    }
  }
  const inside = all.filter((value) => value >= from * 0.999 && value <= until * 1.001);
  const decades = inside.filter((value) => unit.base === "binary" ? Math.log2(value) % 10 === 0 : Math.abs(Math.log10(value) % 1) < 1e-9 || Math.abs(Math.abs(Math.log10(value) % 1) - 1) < 1e-9);
  let chosen = inside.length <= count ? inside : decades;
  if (unit.base === "binary" && inside.length > count) {
    const every = [1, 2, 5, 10, 20].find((step) => inside.length / step <= count) ?? 20;
    chosen = inside.filter((value) => Math.log2(value) % every === 0);
  } else if (chosen.length < 2 && inside.length > count) {
    chosen = inside.filter((_, i) => i % Math.ceil(inside.length / count) === 0);
  }
  const every = Math.ceil(chosen.length / Math.max(1, count));
  return chosen.filter((_, i) => i % every === 0).map((value) => Number((value / unit.factor).toPrecision(12)));
}

/**
 * Ticks of an axis that is linear around zero and logarithmic beyond.
 * @param {number} low @param {number} high @param {number} linear up to which it is about linear @param {number} count
 * @returns {number[]}
 */
export function asinhTicks(low, high, linear, count) {
  const ticks = low <= 0 && high >= 0 ? [0] : [];
  const most = Math.max(Math.abs(low), Math.abs(high));
  const first = Math.ceil(Math.log10(linear));
  const powers = Math.max(1, Math.floor(Math.log10(most)) - first + 1);
  const every = Math.max(1, Math.ceil(powers / Math.max(1, count / (low < 0 ? 2 : 1))));
  for (let power = first; 10 ** power <= most; power += every) {
    if (10 ** power <= high) ticks.push(10 ** power);
    if (-(10 ** power) >= low) ticks.unshift(-(10 ** power));
  }
  return ticks;
}

/** @param {number[]} ticks @param {Unit} unit @param {boolean} each */
export function tickLabels(ticks, unit, each) {
  return axis(ticks, unit, each);
}

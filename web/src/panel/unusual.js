// Unusual slots: those whose average lies further than three deviations from what the same hour of the four weeks
// before had.

import {total} from "../model/buckets.js";
import {nameOf} from "../model/labels.js";
import {addDays} from "../model/zone.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {{slot: number, by: number, line: string}} Unusual `by` deviations above, or below if negative */

export const kWeeks = 4;
const kHour = 3600;
/** Deviations from which on a slot is unusual, and samples that the weeks must have. */
const kFar = 3;
const kSamplesLeast = 10;

/**
 * What is asked for each week: whole hours around the range, a week earlier by the zone's clock.
 * @param {import("./types.js").PanelRange} range @param {number} week 1 to 4
 * @returns {{from: number, until: number, step: number}}
 */
export function weekOf(range, week) {
  return {
    from: Math.floor(addDays(range.from, -7 * week, range.zone) / kHour) * kHour,
    until: Math.ceil(addDays(Math.min(range.until, range.now), -7 * week, range.zone) / kHour) * kHour, step: kHour,
  };
}

/**
 * @param {Scene} scene
 * @param {any[]} weeks answers, those that are there
 * @returns {Unusual[]}
 */
export function unusualOf(scene, weeks) {
  /** @type {Unusual[]} */
  const found = [];
  if (weeks.length === 0 || scene.heat) return found;
  // Where the hour of each slot is in each answer; slots of one hour share it.
  const hours = weeks.map((answer, i) => Array.from({length: scene.slots}, (_, slot) =>
    Math.floor((addDays(scene.from + (slot + 0.5) * scene.step, -7 * (answer.week ?? i + 1), scene.zone) - answer.from) / answer.step)));
  for (const line of scene.lines) {
    if (line.hidden || line.role !== "series") continue;
    const own = weeks.map((answer) => answer.series?.find((/** @type {any} */ series) => nameOf(series) === line.name));
    /** @type {Map<string, {avg: number, sd: number}|null>} */
    const known = new Map();
    for (let slot = 0; slot < scene.slots; ++slot) {
      const value = line.columns.avg?.[slot];
      if (value === null || value === undefined || slot === scene.open) continue;
      const key = hours.map((hour) => hour[slot]).join();
      if (!known.has(key)) known.set(key, usual(own, hours.map((hour) => hour[slot])));
      const before = known.get(key);
      if (!before || before.sd === 0) continue;
      const by = (value - before.avg) / before.sd;
      if (Math.abs(by) > kFar) found.push({slot, by, line: line.name});
    }
  }
  return found;
}

/** All samples of one hour of the weeks. @param {any[]} weeks columns of each @param {number[]} hours @returns {{avg: number, sd: number}|null} */
function usual(weeks, hours) {
  /** @param {string} stat */
  const column = (stat) => weeks.map((columns, i) => columns?.[stat]?.[hours[i]] ?? null);
  const bucket = total({avg: column("avg"), count: column("count"), stddev: column("stddev"), min: column("avg"), max: column("avg")});
  return bucket.count < kSamplesLeast || bucket.avg === null || bucket.stddev === null ? null : {avg: bucket.avg, sd: bucket.stddev};
}

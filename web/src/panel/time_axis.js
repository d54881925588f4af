// Ticks of a time axis in any zone: at round readings of that zone's clock, evenly spaced, each with a label of its own.

import {doubled} from "../model/format.js";
import {instantOf, offsetAt, wallOf, zoneName} from "../model/zone.js";

const kDay = 86400;
/** Steps below a day divide an hour or a day. */
const kSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];
const kDays = [1, 2, 7, 14];
const kMonths = [1, 2, 3, 6, 12, 24, 60, 120];
const kTicksMax = 400;
const kMonthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @typedef {{unit: "second"|"day"|"month", count: number}} Spacing */

/**
 * The finest spacing that has at most so many ticks.
 * @param {number} from @param {number} until @param {number} ticks
 * @returns {Spacing}
 */
export function spacing(from, until, ticks) {
  const least = (until - from) / Math.max(1, ticks);
  const seconds = kSeconds.find((step) => step >= least);
  if (seconds) return {unit: "second", count: seconds};
  const days = kDays.find((step) => step * kDay >= least);
  if (days) return {unit: "day", count: days};
  return {unit: "month", count: kMonths.find((step) => step * 30.4 * kDay >= least) ?? 120};
}

/**
 * The instants of the ticks in [from, until].
 * @param {number} from @param {number} until @param {Spacing} by @param {string} zone
 * @returns {number[]}
 */
export function ticks(from, until, by, zone) {
  const name = zoneName(zone);
  if (by.unit === "second") return clockTicks(from, until, by.count, name);
  /** @type {number[]} */
  const found = [];
  const start = wallOf(from, name);
  let month = by.unit === "month" ? Math.floor((start.year * 12 + start.month - 1) / by.count) * by.count : 0;
  // Weeks begin on Monday; other days are counted from a fixed one, so that ticks stay where they are in a pan.
  let day = by.unit === "day" ? Math.floor(Date.UTC(start.year, start.month - 1, start.day) / 86400000) : 0;
  if (by.unit === "day") day -= (day + (by.count % 7 === 0 ? 3 : 0)) % by.count;
  for (let guard = 0; guard < kTicksMax; ++guard) {
    const at = by.unit === "month" ? instantOf(Math.floor(month / 12), month % 12 + 1, 1, 0, 0, 0, name) : instantOf(1970, 1, 1 + day, 0, 0, 0, name);
    if (at > until) break;
    if (at >= from) found.push(at);
    month += by.count;
    day += by.count;
  }
  return found;
}

/**
 * Up to an hour, ticks are evenly spaced in time, also over a change of the clock; above, they are at even readings of it.
 * @param {number} from @param {number} until @param {number} step @param {string} zone
 */
function clockTicks(from, until, step, zone) {
  /** @type {number[]} */
  const found = [];
  let at = from;
  for (let guard = 0; guard < kTicksMax * 4 && at <= until && found.length < kTicksMax; ++guard) {
    const offset = offsetAt(at, zone);
    const next = Math.ceil((at + offset) / step) * step - offset;
    const there = offsetAt(next, zone);
    if (there !== offset && (next + there) % step !== 0) {
      // The clock changes before that tick: look again from just after the change, which is at a full quarter.
      at = Math.floor(at / 900) * 900 + 900;
      continue;
    }
    if (next > until) break;
    found.push(next);
    at = next + 1;
  }
  return found;
}

/**
 * Labels of ticks: the time of day, and in a second line the date where it begins or changes.
 * @param {number[]} at @param {Spacing} by @param {string} zone
 * @returns {string[]}
 */
export function labels(at, by, zone) {
  const name = zoneName(zone);
  let shown = "";
  return at.map((time, i) => {
    const wall = wallOf(time, name);
    const month = kMonthNames[wall.month - 1];
    /** @param {number} value */
    const two = (value) => String(value).padStart(2, "0");
    let first;
    let second;
    if (by.unit === "month") {
      first = by.count % 12 === 0 ? String(wall.year) : month;
      second = by.count % 12 === 0 ? "" : String(wall.year);
    } else if (by.unit === "day") {
      first = `${wall.day} ${month}`;
      second = String(wall.year);
    } else {
      const seconds = by.count % 60 !== 0;
      first = `${two(wall.hour)}:${two(wall.minute)}${seconds ? ":" + two(wall.second) : ""}${doubled(time, name)}`;
      second = `${["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][wall.weekday]} ${wall.day} ${month}${i === 0 ? ` ${wall.year}` : ""}`;
    }
    const changed = by.unit === "second" ? `${wall.day}.${wall.month}` : second;
    const line = changed === shown ? "" : second;
    shown = changed;
    return line ? `${first}\n${line}` : first;
  });
}

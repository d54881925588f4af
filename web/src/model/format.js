// Numbers, ages, times and names as texts.

import {unit as unitById} from "./units.js";
import {offsetAt, offsetText, wallOf, zoneName} from "./zone.js";

/** Between groups of three digits, and between a number and its unit: a narrow space that does not break. */
export const kSpace = "\u202F";
/** There is no value. */
export const kNone = "–";

const kSi = ["", "k", "M", "G", "T", "P", "E"];
const kSmall = ["", "m", "µ", "n", "p"];
const kBinary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/** @type {[number, string][]} */
const kTimes = [[1e-9, "ns"], [1e-6, "µs"], [1e-3, "ms"], [1, "s"], [60, "min"], [3600, "h"], [86400, "d"]];

/** @typedef {import("./units.js").Unit} Unit */
/** @typedef {{scale: number, suffix: string}} Prefix a shown number times `scale` is the value in the unit */

/** @param {string} digits of a whole number */
function grouped(digits) {
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, kSpace);
}

/**
 * A finite number with so many significant digits and without zeros at its end; whole numbers stay whole.
 * @param {number} value @param {number} digits
 */
function significant(value, digits) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 10 ** digits ? size.toFixed(0) : size.toPrecision(digits);
  const plain = text.includes("e") ? String(Number(text)) : text;
  const [whole, rest = ""] = plain.split(".");
  const kept = rest.replace(/0+$/, "");
  return (value < 0 ? "−" : "") + grouped(whole) + (kept ? "." + kept : "");
}

/**
 * The prefix that suits a value of a unit, for example 1e6 and `MB/s`.
 * @param {number} value in samples' units times the factor of the unit
 * @param {Unit} of
 * @returns {Prefix}
 */
export function prefixOf(value, of) {
  const size = Math.abs(value);
  if (of.base === "time") {
    let best = kTimes[0];
    if (size === 0) best = kTimes[3];
    else for (const step of kTimes) if (size >= step[0] * (step[0] > 1 ? 1.5 : 0.9995)) best = step;
    return {scale: best[0], suffix: best[1]};
  }
  if (of.base === "binary") {
    let power = 0;
    while (power < kBinary.length - 1 && size >= 1023.5 * 1024 ** power) ++power;
    return {scale: 1024 ** power, suffix: kBinary[power] + of.suffix};
  }
  if (of.base === "si") {
    if (size > 0 && size < 0.0009995 && of.suffix !== "/s" && of.suffix !== "") {
      let power = 1;
      while (power < kSmall.length - 1 && size < 0.9995 * 1000 ** -power) ++power;
      return {scale: 1000 ** -power, suffix: kSmall[power] + of.suffix};
    }
    let power = 0;
    while (power < kSi.length - 1 && size >= 999.95 * 1000 ** power) ++power;
    return {scale: 1000 ** power, suffix: kSi[power] + of.suffix};
  }
  return {scale: 1, suffix: of.suffix};
}

/**
 * A value as number and unit, which a page can show differently.
 * @param {number|null|undefined} value as the server sent it
 * @param {Unit|string} of
 * @param {{digits?: number, prefix?: Prefix}} [how] by default 4 digits and the prefix that suits the value
 * @returns {{text: string, unit: string}}
 */
export function number(value, of, how = {}) {
  if (value === null || value === undefined || Number.isNaN(value)) return {text: kNone, unit: ""};
  const known = typeof of === "string" ? unitById(of) : of;
  const scaled = value * known.factor;
  if (!Number.isFinite(scaled)) return {text: scaled > 0 ? "∞" : "−∞", unit: known.suffix};
  const prefix = how.prefix ?? prefixOf(scaled, known);
  return {text: significant(scaled / prefix.scale, how.digits ?? 4), unit: scaled === 0 && known.base !== "time" ? known.suffix : prefix.suffix};
}

/**
 * The same as one text, with a thin space before the unit: `1.204 M`, `9.1 k/s`.
 * @param {number|null|undefined} value
 * @param {Unit|string} of
 * @param {{digits?: number, prefix?: Prefix}} [how]
 */
export function text(value, of, how) {
  const {text: shown, unit} = number(value, of, how);
  return unit ? shown + kSpace + unit : shown;
}

/** A whole number with groups of digits: `12 431`. @param {number|null|undefined} value */
export function count(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return kNone;
  return (value < 0 ? "−" : "") + grouped(Math.abs(Math.round(value)).toFixed(0));
}

/** A number with all its digits, for tooltips and exports. @param {number|null|undefined} value */
export function whole(value) {
  return value === null || value === undefined ? "" : String(value);
}

/**
 * Labels of an axis: one prefix for all, and as many digits as tell them apart, three at least.
 * @param {number[]} ticks as the server sends values
 * @param {Unit} of
 * @param {boolean} [each] every label has its own prefix, as on logarithmic axes
 * @returns {string[]}
 */
export function axis(ticks, of, each = false) {
  if (each) return ticks.map((tick) => text(tick, of, {digits: 3}));
  let largest = 0;
  for (const tick of ticks) largest = Math.max(largest, Math.abs(tick * of.factor));
  const prefix = prefixOf(largest, of);
  for (let digits = 3; digits < 12; ++digits) {
    const labels = ticks.map((tick) => tick === 0 ? "0" : text(tick, of, {digits, prefix}));
    if (new Set(labels).size === new Set(ticks).size) return labels;
  }
  return ticks.map((tick) => text(tick, of, {digits: 12, prefix}));
}

/** A length of time in at most two units: `12 s`, `6 min`, `1 h 30 min`, `12 d 4 h`. @param {number} seconds */
export function age(seconds) {
  const size = Math.abs(seconds);
  if (size < 0.0005) return `0${kSpace}s`;
  if (size < 1) return `${significant(size * 1000, 2)}${kSpace}ms`;
  if (size < 10) return `${significant(size, 2)}${kSpace}s`;
  const total = Math.round(size);
  if (total < 60) return `${total}${kSpace}s`;
  /** @type {[number, string][]} */
  const units = [[31536000, "y"], [86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = units.findIndex(([length]) => total >= length);
  const [length, name] = units[first];
  const count = Math.floor(total / length);
  const next = units[first + 1];
  const rest = next ? Math.floor((total - count * length) / next[0]) : 0;
  const head = `${grouped(String(count))}${kSpace}${name}`;
  return rest && (name !== "min" || count < 10) ? `${head} ${rest}${kSpace}${next[1]}` : head;
}

/** A step: `10 s`, `5 min`, `1 h`, `1 week`. @param {number} seconds */
export function step(seconds) {
  return seconds % 604800 === 0 && seconds < 31536000 ? `${seconds / 604800}${kSpace}w` : age(seconds);
}

/** @param {number} value */
const two = (value) => String(value).padStart(2, "0");

/** `2026-11-20`. @param {number} time @param {string} zone */
export function day(time, zone) {
  const wall = wallOf(time, zone);
  return `${wall.year}-${two(wall.month)}-${two(wall.day)}`;
}

/**
 * `14:20:40`; with `+02` in an hour that the zone has twice on that day.
 * @param {number} time @param {string} zone
 * @param {{seconds?: boolean}} [how] false leaves seconds out
 */
export function clock(time, zone, how = {}) {
  const wall = wallOf(time, zone);
  return `${two(wall.hour)}:${two(wall.minute)}${how.seconds === false ? "" : ":" + two(wall.second)}${doubled(time, zone)}`;
}

/** `2026-11-20 14:20:40`. @param {number} time @param {string} zone @param {{seconds?: boolean}} [how] */
export function time(time, zone, how) {
  return `${day(time, zone)} ${clock(time, zone, how)}`;
}

/** ` +02` if the zone's clock shows this time twice, else empty. @param {number} time @param {string} zone */
export function doubled(time, zone) {
  const name = zoneName(zone);
  if (name === "UTC") return "";
  const here = offsetAt(time, name);
  for (const away of [-7200, 7200]) {
    const other = offsetAt(time + away, name);
    if (other === here) continue;
    // The same reading of the clock at the other offset.
    const twin = time + here - other;
    if (twin !== time && offsetAt(twin, name) === other) return " " + offsetText(here);
  }
  return "";
}

/**
 * A range as short as it can be said: the second time without its date if it is of the same day.
 * @param {number} from @param {number} until @param {string} zone @param {{seconds?: boolean}} [how]
 */
export function span(from, until, zone, how = {seconds: from % 60 !== 0 || until % 60 !== 0}) {
  const same = day(from, zone) === day(until, zone);
  return `${time(from, zone, how)}–${same ? clock(until, zone, how) : time(until, zone, how)}`;
}

const kOdd = /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;

/**
 * A name as it can be shown: characters that are invisible or turn text around become `‹U+202E›`.
 * @param {string} raw
 */
export function visible(raw) {
  return raw.replace(kOdd, (found) => `‹U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`);
}

/**
 * A name with `…` in its middle if it has more characters than `limit`: the end tells most, so it keeps two thirds.
 * @param {string} raw @param {number} limit
 */
export function shortened(raw, limit) {
  const all = Array.from(visible(raw));
  if (all.length <= limit) return all.join("");
  const tail = Math.ceil((limit - 1) * 2 / 3);
  return all.slice(0, limit - 1 - tail).join("") + "…" + all.slice(all.length - tail).join("");
}

// Ranges of time as texts, as they stand in the URL and in the time field, and as unix seconds.

import {age, kSpace, span} from "./format.js";
import {addDays, instantOf, wallOf} from "./zone.js";

/** @type {Record<string, number>} */
const kLengths = {s: 1, m: 60, h: 3600, d: 86400, w: 604800, y: 31536000};

/** No range is shorter, in seconds: a few of the finest slots that any series can have. */
export const kShortest = 5;

/** The ranges that the menu offers, all up to now. */
export const kPresets = ["1m", "5m", "15m", "1h", "3h", "6h", "12h", "24h", "2d", "7d", "30d", "90d", "1y", "2y", "5y"];

/**
 * Seconds of `90m`, `1h30m`, `2w`; null if it is no duration.
 * @param {string} text
 * @returns {number|null}
 */
export function duration(text) {
  if (!/^(\d+(?:\.\d+)?[smhdwy])+$/.test(text)) return null;
  let total = 0;
  for (const [, count, letter] of text.matchAll(/(\d+(?:\.\d+)?)([smhdwy])/g)) total += Number(count) * kLengths[letter];
  return total;
}

/**
 * The shortest duration text of whole seconds: `1h30m`.
 * @param {number} seconds
 */
export function durationText(seconds) {
  let rest = Math.max(1, Math.round(seconds));
  let text = "";
  for (const letter of ["y", "d", "h", "m", "s"]) {
    const count = Math.floor(rest / kLengths[letter]);
    if (count) text += count + letter;
    rest -= count * kLengths[letter];
  }
  return text;
}

/**
 * Unix seconds of a time as in the URL: `now`, `-6h`, `now-6h`, `1795209900`; null if it is none.
 * @param {string} text @param {number} now
 * @returns {number|null}
 */
export function resolve(text, now) {
  const plain = text.trim();
  if (plain === "now") return now;
  if (/^\d{1,12}(\.\d+)?$/.test(plain)) return Number(plain);
  const relative = /^(?:now)?\s*-\s*(\S+)$/.exec(plain);
  const length = relative ? duration(relative[1]) : null;
  return length === null ? null : now - length;
}

/**
 * One time as a person writes it: what resolve takes, `2026-11-20 14:00`, `2026-11-20`, `14:00`, `today`, `yesterday`.
 * @param {string} text @param {number} now @param {string} zone @param {number} [base] whose day a bare clock time has
 * @returns {string|null} relative texts stay relative
 */
function moment(text, now, zone, base = now) {
  const plain = text.trim();
  if (resolve(plain, now) !== null) return plain.replace(/^now-/, "-");
  const day = wallOf(base, zone);
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(plain);
  if (clock && Number(clock[1]) < 24) {
    return String(instantOf(day.year, day.month, day.day, Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0), zone));
  }
  const date = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(plain);
  if (date) {
    const [year, month, of] = date.slice(1, 4).map(Number);
    if (month < 1 || month > 12 || of < 1 || of > 31) return null;
    return String(instantOf(year, month, of, Number(date[4] ?? 0), Number(date[5] ?? 0), Number(date[6] ?? 0), zone));
  }
  if (plain === "today" || plain === "yesterday") {
    return String(instantOf(day.year, day.month, day.day - (plain === "today" ? 0 : 1), 0, 0, 0, zone));
  }
  return null;
}

/**
 * A range as a person writes it: `1y`, `now-6h/now-1h`, `2026-11-20 14:00/15:30`, `14:00+90m`, `2026-11-20` (the day),
 * `1795209900/1795213500`.
 * @param {string} text @param {number} now @param {string} zone
 * @returns {{from: string, until: string}|null} texts for the URL, null if it is not understood
 */
export function parseRange(text, now, zone) {
  const plain = text.trim().replace(/\s+/g, " ");
  if (duration(plain) !== null) return {from: `-${plain}`, until: "now"};
  const plus = /^(.+?)\s*\+\s*(\S+)$/.exec(plain);
  if (plus) {
    const from = moment(plus[1], now, zone);
    const length = duration(plus[2]);
    const start = from === null ? null : resolve(from, now);
    return from === null || length === null || start === null ? null : {from, until: String(start + length)};
  }
  const parts = plain.split(/\s*\/\s*|\s+to\s+|\s*–\s*/);
  if (parts.length === 2) {
    const from = moment(parts[0], now, zone);
    if (from === null) return null;
    const start = resolve(from, now) ?? now;
    const until = moment(parts[1], now, zone, start);
    const end = until === null ? null : resolve(until, now);
    return until === null || end === null || end <= start ? null : {from, until};
  }
  const date = /^\d{4}-\d{1,2}-\d{1,2}$/.test(plain) || plain === "today" || plain === "yesterday";
  const from = moment(plain, now, zone);
  if (from === null) return null;
  const start = resolve(from, now) ?? now;
  if (start >= now && !date) return null;
  return {from, until: date && plain !== "today" ? String(addDays(start, 1, zone)) : "now"};
}

/**
 * What a range is called: `last 1 h`, or its two times.
 * @param {string} from @param {string} until @param {number} now @param {string} zone
 */
export function label(from, until, now, zone) {
  const length = until === "now" ? /^(?:now)?-(\S+)$/.exec(from) : null;
  const seconds = length ? duration(length[1]) : null;
  if (length && seconds !== null) return `last ${/^\d+[smhdwy]$/.test(length[1]) ? spoken(length[1]) : age(seconds)}`;
  const start = resolve(from, now);
  const end = resolve(until, now);
  return start === null || end === null ? `${from} … ${until}` : span(start, end, zone);
}

/** `90d` as `90 d`, `5m` as `5 min`. @param {string} text */
export function spoken(text) {
  return text.replace(/^(\d+)([a-z])$/, (_, count, letter) => `${count}${kSpace}${letter === "m" ? "min" : letter}`);
}

/**
 * A range moved by a share of its length, or made longer around its middle, never shorter than the shortest.
 * @param {{from: number, until: number}} range
 * @param {{move?: number, scale?: number, at?: number}} how `at` stays where it is when scaled
 */
export function changed(range, {move = 0, scale = 1, at = (range.from + range.until) / 2}) {
  const length = range.until - range.from;
  const factor = Math.max(scale, kShortest / length);
  const shift = move * length;
  return {from: at - (at - range.from) * factor + shift, until: at + (range.until - at) * factor + shift};
}

/**
 * The time that a comparison lays under this one: a day or a week before, at the same time of the clock.
 * @param {number} time @param {"1d"|"1w"} by @param {string} zone
 */
export function compared(time, by, zone) {
  return addDays(time, by === "1d" ? -1 : -7, zone);
}

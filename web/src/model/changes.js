// How far a series has moved between two ranges, as the server ranks them, in words.

import {age, kSpace, text} from "./format.js";
import {unitOf} from "./units.js";

/** @typedef {{avg: number|null, sd?: number|null, n: number}} Side */
/** @typedef {{name: string, kind: string, score: number, by: string, was: Side, is: Side}} Change */

/**
 * `1.2 ms → 18 ms, 15 times as much`.
 * @param {Change} change
 */
export function sentence(change) {
  const unit = unitOf(change.name, change.kind);
  const was = change.was.avg;
  const is = change.is.avg;
  if (was === null || is === null) return `${text(was, unit)} → ${text(is, unit)}`;
  return `${text(was, unit)} → ${text(is, unit)}${times(was, is)}`;
}

/** @type {[string, number][]} */
const kSpans = [["5 min", 300], ["15 min", 900], ["1 h", 3600], ["6 h", 21600]];
const kUsualSpan = 900;
const kLeastSpan = 20;

/**
 * How long after an event its effects can be looked for: what has passed, at least.
 * @param {number} begin @param {number|null} end of an event that lasts @param {number} now
 * @returns {{label: string, seconds: number, isUsual: boolean}[]} at least one; the shortest first
 */
export function spansAfter(begin, end, now) {
  const passed = Math.max(kLeastSpan, Math.floor(now - begin));
  const spans = kSpans.filter(([, seconds]) => seconds <= passed).map(([label, seconds]) => ({label, seconds, isUsual: false}));
  if (passed < kSpans[0][1]) spans.push({label: age(passed), seconds: passed, isUsual: false});
  const lasts = end === null ? 0 : Math.floor(Math.min(end, now) - begin);
  if (lasts >= kLeastSpan && !spans.some(({seconds}) => seconds === lasts)) spans.push({label: `${age(lasts)}, while it lasted`, seconds: lasts, isUsual: true});
  spans.sort((a, b) => a.seconds - b.seconds);
  if (!spans.some(({isUsual}) => isUsual)) {
    const usual = [...spans].reverse().find(({seconds}) => seconds <= kUsualSpan) ?? spans[0];
    usual.isUsual = true;
  }
  return spans;
}

/** @param {number} was @param {number} is */
function times(was, is) {
  if (was <= 0 || is <= 0) return "";
  const ratio = is / was;
  if (ratio >= 1.95) return `, ${Number(ratio.toPrecision(2))} times as much`;
  if (ratio <= 0.52) return `, 1/${Number((1 / ratio).toPrecision(2))} of it`;
  const percent = Math.round((ratio - 1) * 100);
  return percent === 0 ? ", the shape changed" : `, ${percent > 0 ? "+" : "−"}${Math.abs(percent)}${kSpace}%`;
}

// How far a series has moved between two ranges, as the server ranks them, in words.

import {kSpace, text} from "./format.js";
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

/** @param {number} was @param {number} is */
function times(was, is) {
  if (was <= 0 || is <= 0) return "";
  const ratio = is / was;
  if (ratio >= 1.95) return `, ${Number(ratio.toPrecision(2))} times as much`;
  if (ratio <= 0.52) return `, 1/${Number((1 / ratio).toPrecision(2))} of it`;
  const percent = Math.round((ratio - 1) * 100);
  return percent === 0 ? ", the shape changed" : `, ${percent > 0 ? "+" : "−"}${Math.abs(percent)}${kSpace}%`;
}

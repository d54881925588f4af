// A question that was answered a moment ago is not asked whole again. What may have changed is the end of its range, and
// the slot in which the range begins now; their answers replace those slots, and the other slots remain as they were.

import {nameOf} from "./labels.js";

/** @typedef {import("../panel/panel.js").Answer} Answer */
/** @typedef {{from: number, until: number}} Span unix seconds */
/** @typedef {Span & {now: number}} Asked the range of an answer, and the server's time then */

/** Full slots before the open one that are asked again, and at least so many seconds: samples may come late. */
const kLateSlots = 3;
const kLateSeconds = 30;
/** The server's clock and the page's may differ by so many seconds when a range begins. */
const kClockSeconds = 2;
/** Lists of an answer that are no columns of slots. */
const kLists = new Set(["series", "buckets", "counts", "covers", "missing", "warnings", "infos"]);

/** A value of an expression is of what was before its time: its rows begin after the start of the range. @param {Answer} answer @param {Span} asked */
function isOfPoints(answer, asked) {
  return (answer.from ?? 0) > asked.from;
}

/**
 * Which parts of a range to ask: the tail from `tail` on, and what is before `head` if that is not null.
 * @param {Answer} old
 * @param {Asked} asked what `old` is the answer of
 * @param {Span} range the range now
 * @returns {{tail: number, head: number|null}|null} null: all must be asked
 */
export function partsOf(old, asked, range) {
  const {from, step} = old;
  if (from === undefined || !step || range.from < asked.from || range.until < asked.until) return null;
  const tail = (Math.floor(Math.min(asked.until, asked.now) / step) - Math.max(kLateSlots, Math.ceil(kLateSeconds / step))) * step;
  const head = (Math.floor((range.from + kClockSeconds) / step) + 1) * step;
  if (tail < head + step || tail < from) return null;
  // Where stored slots are as long as those of the answer, the first one is whole wherever a range begins; `covers` and a
  // range that began within one tell which.
  const isWhole = !old.covers && Math.floor(asked.from) % step !== 0 || Math.floor(range.from) % step === 0;
  return {tail, head: isWhole || isOfPoints(old, asked) ? null : head};
}

/**
 * The columns of one object, each made of the old one, the first slots, and the tail.
 * @param {any} old @param {any} head @param {any} tail
 * @param {{from: number, step: number, slots: number}} grid of the result
 * @param {{old: number, head: number, tail: number}} starts first slots of the parts
 * @returns {any} null if the parts do not have the same columns
 */
function columnsOf(old, head, tail, {from, step, slots}, starts) {
  const joined = {...tail};
  const begin = (from - starts.old) / step;
  const kept = (starts.tail - from) / step;
  for (const [key, column] of Object.entries(tail)) {
    if (!Array.isArray(column) || kLists.has(key)) continue;
    if (!Array.isArray(old[key]) || head && !Array.isArray(head[key])) return null;
    const values = old[key].slice(begin, begin + kept);
    while (values.length < kept) values.push(null);
    (head?.[key] ?? []).forEach((/** @type {any} */ value, /** @type {number} */ i) => { values[(starts.head - from) / step + i] = value; });
    joined[key] = values.concat(column).slice(0, slots);
  }
  if (Object.entries(old).some(([key, column]) => Array.isArray(column) && !kLists.has(key) && !Array.isArray(tail[key]))) return null;
  if (typeof old.within === "number" || typeof tail.within === "number") joined.within = Math.max(old.within ?? 0, tail.within ?? 0);
  return joined;
}

/** Columns without a value. @param {any} series @param {number} slots */
function emptied(series, slots) {
  return Object.fromEntries(Object.entries(series).map(([key, column]) => [key, Array.isArray(column) ? Array(slots).fill(null) : column]));
}

/** @param {any[]} lists */
const union = (...lists) => [...new Set(lists.flatMap((list) => list ?? []))];

/** @param {any} series */
const keyOf = (series) => typeof series === "string" ? series : JSON.stringify([nameOf(series), series.kind ?? ""]);

/**
 * The answer for a range, as if all of it had been asked, of an older answer and those for its parts.
 * @param {Answer} old @param {Asked} asked what `old` is the answer of
 * @param {{tail: Answer, head: Answer|null}} parts
 * @param {Span} range
 * @returns {Answer|null} null if they do not fit together, since series or stored slots are others
 */
export function joinedTail(old, asked, {tail, head}, range) {
  const step = /** @type {number} */ (old.step);
  const isPoints = isOfPoints(old, asked);
  for (const part of [tail, head]) {
    if (part === null) continue;
    if (part.status >= 400 || part.step !== step || part.from === undefined || part.from % step !== 0 || part.until === undefined) return null;
    if (!isPoints && part.tier !== old.tier) return null;
  }
  const start = /** @type {number} */ (old.from);
  const tailFrom = /** @type {number} */ (tail.from);
  const first = Math.floor(range.from / step) * step;
  const from = Math.max(start, head ? /** @type {number} */ (head.from) : isPoints ? first + step : first);
  const grid = {from, step, slots: Math.round((/** @type {number} */ (tail.until) - from) / step)};
  if (grid.slots <= 0 || tailFrom < from) return null;
  const starts = {old: start, head: head?.from ?? from, tail: tailFrom};
  /** @type {any} */
  const joined = columnsOf(old, head, tail, grid, starts);
  if (joined === null) return null;
  Object.assign(joined, {id: old.id, from});
  if (isPoints) joined.tier = Math.max(old.tier ?? 0, tail.tier ?? 0) || null;
  else if (old.covers || tail.covers) joined.covers = [head?.covers?.[0] ?? from, tail.covers?.[1] ?? tail.until];
  for (const list of ["warnings", "infos"]) {
    const all = union(/** @type {any} */ (old)[list], /** @type {any} */ (tail)[list]);
    if (all.length > 0) joined[list] = all;
  }
  if (Array.isArray(old.counts) || Array.isArray(tail.counts)) return withCells(joined, old, head, tail, grid, starts);
  return withSeries(joined, old, head, tail, grid, starts, isPoints);
}

/**
 * @param {any} joined @param {Answer} old @param {Answer|null} head @param {Answer} tail
 * @param {{from: number, step: number, slots: number}} grid @param {{old: number, head: number, tail: number}} starts
 * @param {boolean} isPoints
 * @returns {Answer|null}
 */
function withSeries(joined, old, head, tail, grid, starts, isPoints) {
  const before = new Map((old.series ?? []).map((one) => [keyOf(one), one]));
  const first = head && new Map((head.series ?? []).map((one) => [keyOf(one), one]));
  const last = new Map((tail.series ?? []).map((one) => [keyOf(one), one]));
  const ofTail = (/** @type {Answer} */ part) => Math.max(0, Math.round((/** @type {number} */ (part.until) - /** @type {number} */ (part.from)) / grid.step));
  joined.series = [];
  // Which series there are is known of names; groups of an expression come and go with their values.
  for (const key of isPoints ? union([...before.keys()], [...last.keys()]) : last.keys()) {
    const end = last.get(key) ?? emptied(before.get(key), ofTail(tail));
    const begin = before.get(key) ?? (isPoints ? emptied(end, (starts.tail - starts.old) / grid.step) : null);
    if (begin === null || first && !first.has(key)) return null;
    const series = columnsOf(begin, first?.get(key) ?? null, end, grid, starts);
    if (series === null) return null;
    if (isPoints && Object.values(series).every((column) => !Array.isArray(column) || column.every((value) => value === null))) continue;
    joined.series.push(series);
  }
  // The server orders groups by their labels, except those of topk.
  if (isPoints && isOrdered(old.series ?? []) && isOrdered(tail.series ?? [])) joined.series.sort(byLabels);
  return joined;
}

/** @param {any} series */
const labelsOf = (series) => JSON.stringify(Object.entries(series.labels ?? {}).sort());

/** @param {any} a @param {any} b */
const byLabels = (a, b) => labelsOf(a) < labelsOf(b) ? -1 : 1;

/** @param {any[]} series */
const isOrdered = (series) => series.every((one, i) => i === 0 || byLabels(series[i - 1], one) < 0);

/**
 * @param {any} joined @param {Answer} old @param {Answer|null} head @param {Answer} tail
 * @param {{from: number, step: number, slots: number}} grid @param {{old: number, head: number, tail: number}} starts
 * @returns {Answer|null}
 */
function withCells(joined, old, head, tail, grid, starts) {
  if ([tail, head].some((part) => part && part.series?.join("\n") !== old.series?.join("\n"))) return null;
  /** @param {Answer|null} part */
  const rowsOf = (part) => new Map((part?.buckets ?? []).map((bucket, row) => [bucket.join(), /** @type {number[][]} */ (part?.counts)[row]]));
  const parts = [rowsOf(old), rowsOf(head), rowsOf(tail)];
  const buckets = new Map([old, head, tail].flatMap((part) => part?.buckets ?? []).map((bucket) => [bucket.join(), bucket]));
  const begin = (grid.from - starts.old) / grid.step;
  const kept = (starts.tail - grid.from) / grid.step;
  joined.buckets = [];
  joined.counts = [];
  for (const [key, bucket] of [...buckets].sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1])) {
    const row = Array(grid.slots).fill(0);
    parts[0].get(key)?.slice(begin, begin + kept).forEach((count, slot) => { row[slot] = count; });
    if (head) {
      const slots = Math.round((/** @type {number} */ (head.until) - starts.head) / grid.step);
      for (let slot = 0; slot < slots; ++slot) row[(starts.head - grid.from) / grid.step + slot] = parts[1].get(key)?.[slot] ?? 0;
    }
    parts[2].get(key)?.forEach((count, slot) => { row[kept + slot] = count; });
    if (row.every((count) => count === 0)) continue;
    joined.buckets.push(bucket);
    joined.counts.push(row);
  }
  return joined;
}

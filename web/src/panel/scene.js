// From answers to what is drawn: lines with colours and labels, the rest of many series as one band, gaps, totals.

import {emptyRuns, last, medianCount, merged, total} from "../model/buckets.js";
import {visible} from "../model/format.js";
import {labelsOf, nameOf, split} from "../model/labels.js";
import {openSlot} from "../model/step.js";
import {mainAnswer} from "./queries.js";
import {kWeeks, unusualOf} from "./unusual.js";
import {unitOf} from "../model/units.js";
import {compared} from "../model/range.js";

/** Lines of one panel; further series are one band. */
export const kLinesMax = 20;
/** Senders report each second, and what they send takes a moment. */
const kYoungSeconds = 3;
/** What is not there for so long is missing, and not on its way. */
const kLateSeconds = 5;

const kNothing = "no samples";

/**
 * One line, or one band of the stack.
 * @typedef {object} Line
 * @property {string} name as it is stored: the key for colour and hiding
 * @property {string} label what tells it apart in this panel
 * @property {string} stat which column it draws
 * @property {string} kind
 * @property {import("../model/units.js").Unit} unit
 * @property {import("../model/colors.js").Paint} paint
 * @property {(number|null)[]} values
 * @property {import("../model/buckets.js").Columns} columns
 * @property {import("../model/buckets.js").Bucket & {p50?: number|null, p99?: number|null}} all of the whole range
 * @property {boolean} hidden
 * @property {"series"|"rest"|"before"} role
 * @property {number} spacing usual distance of slots with samples, in slots
 * @property {string} host of its tag, or empty
 * @property {{since?: number, last?: number, kept_from?: number}} about
 * @property {import("../model/seconds.js").Second[]} seconds of live series
 */

/**
 * @typedef {object} Scene
 * @property {number} from @property {number} until @property {number} step @property {number} slots
 * @property {number|null} tier
 * @property {Line[]} lines @property {Line|null} rest @property {number} restCount
 * @property {Line[]} before of the range that is compared
 * @property {Gap[]} gaps of all visible lines together
 * @property {number} open index of the slot under way, or -1
 * @property {number} now @property {string} zone
 * @property {import("../model/units.js").Unit} unit
 * @property {string} view @property {"lin"|"log"|"asinh"} scale @property {"mm"|"sd"|"off"} band
 * @property {[number, number]|undefined} limits
 * @property {Heat|null} heat
 * @property {import("./unusual.js").Unusual[]} unusual
 * @property {number} samples median of a point
 * @property {string[]} missing @property {string[]} warnings @property {string[]} partial what did not come, and why
 */

/** @typedef {{first: number, end: number, from: number, until: number, reason: string}} Gap half-open, in slots and in seconds */

/**
 * @typedef {object} Heat
 * @property {number[][]} buckets @property {number[][]} counts
 * @property {number} largest count of a cell
 */

/**
 * @param {import("./panel.js").PanelSpec} spec
 * @param {import("./panel.js").PanelRange} range
 * @param {import("./panel.js").Answers} answers
 * @param {import("../model/colors.js").Palette} palette
 * @param {import("./panel.js").Mark[]} marks
 * @returns {Scene|null} null if there is no answer to draw
 */
export function sceneOf(spec, range, answers, palette, marks) {
  const answer = mainAnswer(spec, answers);
  if (!answer || answer.from === undefined || answer.until === undefined || !answer.step) return null;
  const isHeat = Array.isArray(answer.counts);
  const slots = Math.max(1, Math.round((answer.until - answer.from) / answer.step));
  // A value of an expression is of what was before its time, so it is drawn over the slot that ends there.
  const valued = !isHeat && !!answer.series?.length && answer.series.every((series) => series.value !== undefined);
  const shift = valued && spec.expr ? answer.step : 0;
  const time = {from: answer.from - shift, until: answer.until - shift, step: answer.step};
  const known = Math.min(range.now, answer.at ?? range.now);
  /** @type {Scene} */
  const scene = {
    ...time, slots, tier: answer.tier ?? null, lines: [], rest: null, restCount: 0, before: [], gaps: [], open: openSlot(time, known),
    now: range.now, zone: range.zone, unit: unitOf("", "gauge"), view: isHeat ? "heatmap" : spec.view === "stack" ? "stack" : "lines",
    scale: spec.scale ?? (isHeat ? "log" : "lin"), band: spec.band ?? "mm", limits: spec.limits, heat: null, samples: 0, unusual: [],
    missing: answer.missing ?? [], warnings: answer.warnings ?? [], partial: [],
  };
  if (isHeat) fillHeat(scene, spec, answer, range.bits ?? false);
  else {
    const young = Math.max(0, Math.ceil((known - kYoungSeconds - time.from) / time.step));
    fillLines(scene, spec, cutOpen(answer, firstOpen(scene, answer.tier ?? 0, known), {isTiled: spec.expr?.includes("$step") ?? false, young}), palette, range.bits ?? false);
    if (!spec.scale && scene.lines.length && scene.lines.every((line) => /^p\d/.test(line.stat))) scene.scale = "log";
  }
  addTotals(scene, answers[`${spec.id}~all`], isHeat);
  const before = answers[`${spec.id}~cmp`];
  if (before?.series && !isHeat && spec.compare && spec.compare !== "none") fillBefore(scene, spec, before);
  if (spec.unusual) {
    const weeks = Array.from({length: kWeeks}, (_, i) => ({...answers[`${spec.id}~u${i + 1}`], week: i + 1})).filter((week) => week.series && week.step);
    scene.unusual = unusualOf(scene, weeks);
  }
  // what came after the answer was asked is not known, so it is no gap
  scene.gaps = gapsOf(scene, {...range, now: known}, answers[`${spec.id}~up`], marks);
  scene.partial = partsMissing(scene, spec, answers);
  return scene;
}

/**
 * What a panel asked apart from its own series and did not get, each with the reason.
 * @param {Scene} scene @param {import("./panel.js").PanelSpec} spec @param {import("./panel.js").Answers} answers
 */
function partsMissing(scene, spec, answers) {
  /** @type {[string, string][]} */
  const parts = [["all", "the numbers of the whole range"]];
  if (spec.compare && spec.compare !== "none") parts.push(["cmp", "the range it is compared with"]);
  if (scene.gaps.length > 0) parts.push(["up", "whether the host was there"]);
  if (spec.unusual) for (let week = 1; week <= kWeeks; ++week) parts.push([`u${week}`, `${week} ${week === 1 ? "week" : "weeks"} before`]);
  return parts.flatMap(([end, words]) => {
    const error = answers[`${spec.id}~${end}`]?.error;
    return error === undefined ? [] : [`${words}: ${error}`];
  });
}

/** @param {Scene} scene @param {import("./panel.js").PanelSpec} spec @param {import("./panel.js").Answer} answer @param {boolean} bits */
function fillHeat(scene, spec, answer, bits) {
  const counts = answer.counts ?? [];
  let largest = 0;
  for (const row of counts) for (const cell of row) if (cell > largest) largest = cell;
  scene.heat = {buckets: answer.buckets ?? [], counts, largest};
  const names = /** @type {string[]} */ (answer.series ?? []);
  const name = names[0] ?? spec.series?.[0] ?? "";
  const columns = /** @type {any} */ (answer);
  scene.unit = unitOf(name, "distribution", {given: /** @type {any} */ (answer).unit, chosen: spec.unit, bits});
  scene.samples = medianCount(columns.count);
  const line = lineOf({name, label: labelsOf([name])[0], kind: "distribution", columns, stat: "p50", spec, bits, paint: {index: 1, dash: []}});
  if (names.length > 1) line.label = `${names.length} series`;
  scene.lines = [line];
}

/**
 * @param {Scene} scene @param {import("./panel.js").PanelSpec} spec @param {import("./panel.js").Answer} answer
 * @param {import("../model/colors.js").Palette} palette @param {boolean} bits
 */
function fillLines(scene, spec, answer, palette, bits) {
  const all = answer.series ?? [];
  const names = all.map(nameOf);
  const indices = all.map((_, i) => i);
  const chosen = all.length > kLinesMax ? topOf(all, indices, spec.top ?? "max") : indices;
  const order = spec.order;
  // Names are as labelled, so the order is made of labels, and colours are given out in that order.
  const unordered = labelsOf(chosen.map((i) => names[i]));
  const placed = chosen.map((index, i) => ({index, label: unordered[i]}));
  if (order) placed.sort((a, b) => place(order, a.label) - place(order, b.label));
  const stats = drawnStats(spec, all);
  for (const {index: i, label} of placed) {
    for (const stat of stats) {
      if (!all[i][stat]) continue;
      const paint = palette.paint(names[i]);
      const line = lineOf({
        name: names[i], label: stats.length === 1 ? label : chosen.length === 1 ? stat : `${label} ${stat}`, kind: all[i].kind ?? "gauge", columns: all[i], stat, spec, bits,
        paint: stats.length > 1 && stat !== stats[0] ? {...paint, dash: stats.indexOf(stat) === 1 ? [6, 3] : [2, 2]} : paint,
      });
      if (answer.seconds && stat === "avg" && Object.hasOwn(answer.seconds, names[i])) line.seconds = answer.seconds[names[i]];
      scene.lines.push(line);
    }
  }
  if (chosen.length < all.length) {
    const others = indices.filter((i) => !chosen.includes(i)).map((i) => all[i].value ? {avg: numbers(all[i].value)} : all[i]);
    const columns = merged(others, scene.slots);
    scene.rest = {...lineOf({name: "", label: `${others.length} others`, kind: all[0].kind ?? "gauge", columns, stat: "avg", spec, bits, paint: {index: 0, dash: []}}),
      role: "rest", unit: scene.lines[0].unit};
    scene.restCount = others.length;
  }
  scene.unit = scene.lines[0]?.unit ?? scene.unit;
  scene.samples = medianCount(all[0]?.count);
}

/** @param {string[]} order @param {string} label */
function place(order, label) {
  const found = order.indexOf(label);
  return found < 0 ? order.length : found;
}

/**
 * The first slot whose number is not whole yet: those within the stored slot under way, which may be wider. -1 if all are whole.
 * @param {Scene} scene @param {number} tier seconds of a stored slot @param {number} known until when
 */
function firstOpen(scene, tier, known) {
  if (tier <= scene.step) return scene.open;
  const slot = Math.floor((Math.floor(known / tier) * tier - scene.from) / scene.step);
  return slot >= scene.slots ? -1 : Math.max(0, slot);
}

/**
 * The answer without what would seem to fall at its end: a window that tiles the slots has no whole number for the one under
 * way, and slots that have just begun lack what their senders have not sent yet. The given answer stays as it is, since later ones
 * are joined to it.
 * @param {import("./panel.js").Answer} answer @param {number} open the first slot that is not whole; -1: none
 * @param {{isTiled: boolean, young: number}} how `young`: the first slot that has just begun
 * @returns {import("./panel.js").Answer}
 */
function cutOpen(answer, open, {isTiled, young}) {
  const end = Math.round((/** @type {number} */ (answer.until) - /** @type {number} */ (answer.from)) / /** @type {number} */ (answer.step));
  if (open < 0 && young >= end) return answer;
  /** @param {any[]} column @param {number} end */
  const before = (column, end) => column.map((value, slot) => slot < end ? value : null);
  const series = (answer.series ?? []).map((one) => {
    if (isTiled && one.value && open >= 0) return {...one, value: before(one.value, open)};
    if (one.kind !== "event" && one.kind !== "counter") return one;
    return Object.fromEntries(Object.entries(one).map(([key, column]) => [key, Array.isArray(column) ? before(column, young) : column]));
  });
  return {...answer, series};
}

/** Which columns are drawn as lines. @param {import("./panel.js").PanelSpec} spec @param {any[]} all */
function drawnStats(spec, all) {
  if (all[0]?.value) return ["value"];
  const isDistribution = all.length > 0 && all.every((series) => series.kind === "distribution");
  const stats = spec.stats ?? (isDistribution ? ["p50", "p99"] : []);
  const wanted = stats.filter((stat) => /^p\d|^avg$|^rate$/.test(stat) && all.some((series) => series[stat]?.some((/** @type {any} */ value) => value !== null)));
  return wanted.length ? wanted : ["avg"];
}

/** The texts NaN and +Inf of expressions are no points. @param {any[]} column @returns {(number|null)[]} */
function numbers(column) {
  return column.map((value) => typeof value === "number" ? value : null);
}

/**
 * @param {{name: string, label: string, kind: string, columns: any, stat: string, spec: import("./panel.js").PanelSpec,
 *   paint: import("../model/colors.js").Paint, bits: boolean}} from
 * @returns {Line}
 */
function lineOf({name, label, kind, columns, stat, spec, paint, bits}) {
  const values = stat === "value" ? numbers(columns.value) : columns[stat] ?? [];
  const own = stat === "value" ? {avg: values} : columns;
  return {
    name, label, stat, kind, unit: unitOf(name, stat === "value" && kind === "gauge" ? "gauge" : kind, {given: columns.unit, chosen: spec.unit, bits}), paint, values,
    columns: own, all: total(own), hidden: (spec.hidden ?? []).includes(name), role: "series",
    spacing: spacingOf(values), host: split(name).tags.get("host") ?? "",
    about: {since: columns.since, last: columns.last, kept_from: columns.kept_from}, seconds: [],
  };
}

/** The usual distance of slots with samples: of a series that is sent each minute, six slots of 10 s. @param {(number|null)[]} values */
function spacingOf(values) {
  /** @type {number[]} */
  const distances = [];
  let before = -1;
  for (let slot = 0; slot < values.length; ++slot) {
    if (values[slot] === null || values[slot] === undefined) continue;
    if (before >= 0) distances.push(slot - before);
    before = slot;
  }
  distances.sort((a, b) => a - b);
  return distances.length ? distances[Math.floor((distances.length - 1) / 2)] : 1;
}

/** Indices of the series with the highest maximum, mean or last value. @param {any[]} all @param {number[]} order @param {string} by */
function topOf(all, order, by) {
  const keys = all.map((series) => {
    const column = series.value ? numbers(series.value) : by === "max" ? series.max ?? series.avg : series.avg;
    if (by === "last") return last(column).value ?? -Infinity;
    if (by === "avg") return total(series.value ? {avg: column} : series).avg ?? -Infinity;
    return column.reduce((/** @type {number} */ most, /** @type {any} */ value) => value !== null && value > most ? value : most, -Infinity);
  });
  return [...order].sort((a, b) => keys[b] - keys[a] || a - b).slice(0, kLinesMax);
}

/** Exact numbers of the whole range, percentiles among them. @param {Scene} scene @param {any} answer @param {boolean} isHeat */
function addTotals(scene, answer, isHeat) {
  if (!answer || answer.status >= 400) return;
  const found = isHeat ? [answer] : answer.series ?? [];
  for (const line of scene.lines) {
    const own = isHeat ? answer : found.find((/** @type {any} */ series) => nameOf(series) === line.name);
    if (!own?.count || own.count[0] === null || own.count[0] === undefined) continue;
    line.all = {count: own.count[0], sum: own.sum?.[0] ?? line.all.sum, avg: own.avg?.[0] ?? line.all.avg, min: own.min?.[0] ?? line.all.min,
      max: own.max?.[0] ?? line.all.max, stddev: own.stddev?.[0] ?? null, p50: own.p50?.[0], p99: own.p99?.[0]};
  }
}

/** @param {Scene} scene @param {import("./panel.js").PanelSpec} spec @param {any} answer */
function fillBefore(scene, spec, answer) {
  const by = spec.compare === "1d" ? "1d" : "1w";
  // Each slot of the other range goes to where this range's clock shows the same time.
  for (const line of scene.lines) {
    const other = answer.series.find((/** @type {any} */ series) => nameOf(series) === line.name);
    const column = other?.[line.stat];
    if (!column) continue;
    const values = Array.from({length: scene.slots}, (_, slot) => {
      const at = compared(scene.from + slot * scene.step, by, scene.zone);
      return column[Math.round((at - answer.from) / answer.step)] ?? null;
    });
    scene.before.push({...line, role: "before", values, spacing: spacingOf(values), columns: {avg: values}, all: total({avg: values}), label: `${line.label}, ${by === "1d" ? "a day" : "a week"} before`});
  }
}

/**
 * Runs of slots in which no visible line has a sample, longer than two slots and than the series' usual distance.
 * @param {Scene} scene @param {import("./panel.js").PanelRange} range @param {any} up @param {import("./panel.js").Mark[]} marks
 * @returns {Gap[]}
 */
function gapsOf(scene, range, up, marks) {
  const lines = scene.lines.filter((line) => !line.hidden);
  if (lines.length === 0) return [];
  const column = Array.from({length: scene.slots}, (_, slot) => {
    const found = lines.find((line) => {
      const value = scene.heat ? line.columns.count?.[slot] : line.values[slot];
      return value !== null && value !== undefined;
    });
    return found || scene.rest?.values[slot] != null ? 1 : null;
  });
  const spacing = Math.min(...lines.map((line) => line.spacing));
  const first = Math.max(0, Math.floor((range.from - scene.from) / scene.step));
  const now = Math.ceil((range.now - scene.from) / scene.step);
  const due = Math.ceil((range.now - kLateSeconds - scene.from) / scene.step);
  return emptyRuns(column).filter(({first: start, end}) => start < due && Math.min(end, due) - Math.max(start, first) > Math.max(2, spacing * 2)).map((run) => {
    const end = Math.min(run.end, Math.max(run.first + 1, now));
    const from = scene.from + run.first * scene.step;
    const until = Math.min(scene.from + end * scene.step, range.now);
    return {first: run.first, end, from, until, reason: reasonOf(lines, from, until, up, marks, scene.step)};
  }).filter((gap) => !(gap.reason === kNothing && lines[0].kind === "distribution" && isThere(lines[0], gap.from, gap.until, up)));
}

/**
 * Why there are no samples, as far as it is known.
 * @param {Line[]} lines @param {number} from @param {number} until @param {any} up @param {import("./panel.js").Mark[]} marks
 * @param {number} [step] of a slot: losses and retention may end within one
 */
export function reasonOf(lines, from, until, up, marks, step = 0) {
  const loss = marks.find((mark) => mark.kind === "loss" && (!mark.host || lines.some((line) => line.host === mark.host)) && mark.time <= until + step && (mark.until ?? mark.time) >= from - step);
  if (loss) return visible(loss.title);
  if (lines.every(({about}) => about.since !== undefined && about.since >= until)) return "before the first sample";
  if (lines.every(({about}) => about.kept_from !== undefined && about.kept_from >= until - step)) return "older than retention";
  return isThere(lines[0], from, until, up) === false ? "host silent (agent away)" : kNothing;
}

/**
 * Whether the host of a line was there, by its presence series; null if that is not known. A host that is there and
 * sends no sample of a distribution had nothing to measure.
 * @param {Line} line @param {number} from @param {number} until @param {any} up
 * @returns {boolean|null}
 */
function isThere(line, from, until, up) {
  const presence = up?.series?.find((/** @type {any} */ series) => split(nameOf(series)).tags.get("host") === line.host);
  if (!line.host || !presence || up.from === undefined) return null;
  let seen = 0;
  let slots = 0;
  presence.count.forEach((/** @type {any} */ count, /** @type {number} */ slot) => {
    const at = up.from + slot * up.step;
    if (at + up.step <= from || at >= until) return;
    ++slots;
    if (count) ++seen;
  });
  return slots === 0 ? null : seen > slots / 10;
}

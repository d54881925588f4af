// Dashboards of Graphite, as dashboards of this page: plain paths and globs become series, functions that PromQL has
// become expressions, and all others are named as left out.

import {placeOf} from "./istatd_import.js";

/** @typedef {import("./istatd_import.js").Imported} Imported */

const kPanelsMax = 200;
const kTargetBytesMax = 4096;
const kDepthMax = 16;

/** Functions of one series list, as aggregations. @type {Record<string, string>} */
const kAggregations = {sumSeries: "sum", sum: "sum", averageSeries: "avg", avg: "avg", maxSeries: "max", minSeries: "min", countSeries: "count", stddevSeries: "stddev"};
/** Functions that choose the highest or lowest. @type {Record<string, string>} */
const kTops = {highestMax: "topk", highestCurrent: "topk", highestAverage: "topk", highest: "topk", limit: "limitk", lowestCurrent: "bottomk", lowestAverage: "bottomk", lowest: "bottomk"};
/** Functions that change only how it looks, or how it is called. */
const kLooks = new Set(["alias", "aliasByNode", "aliasByMetric", "aliasSub", "color", "dashed", "lineWidth", "alpha", "cactiStyle", "legendValue", "secondYAxis", "sortByName", "sortByMaxima",
  "sortByTotal", "keepLastValue", "consolidateBy", "substr", "stacked", "areaBetween"]);
const kUnits = /** @type {Record<string, string>} */ ({Seconds: "s", Minutes: "m", Hours: "h", Days: "d", Weeks: "w", Months: "M", Years: "y"});

/** @param {unknown} value @returns {value is Record<string, any>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @typedef {{call: string, args: Node[]}|{path: string}|{text: string}|{number: number}} Node */

/**
 * The tree of a target; null if it is none.
 * @param {string} target
 * @returns {Node|null}
 */
export function parseTarget(target) {
  if (target.length > kTargetBytesMax) return null;
  let at = 0;
  const skip = () => { while (target[at] === " " || target[at] === "\n" || target[at] === "\t") ++at; };
  /** @param {number} depth @returns {Node|null} */
  const node = (depth) => {
    if (depth > kDepthMax) return null;
    skip();
    const quote = target[at];
    if (quote === "\"" || quote === "'") {
      const end = target.indexOf(quote, at + 1);
      if (end < 0) return null;
      const text = target.slice(at + 1, end);
      at = end + 1;
      return {text};
    }
    const start = at;
    let braces = 0;
    while (at < target.length && (braces > 0 || !/[(),\s]/.test(target[at]))) {
      if (target[at] === "{") ++braces;
      if (target[at] === "}") --braces;
      ++at;
    }
    const word = target.slice(start, at);
    skip();
    if (target[at] !== "(") {
      if (word === "") return null;
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? {number: Number(word)} : {path: word};
    }
    ++at;
    /** @type {Node[]} */
    const args = [];
    skip();
    while (target[at] !== ")") {
      const arg = node(depth + 1);
      if (!arg) return null;
      args.push(arg);
      skip();
      if (target[at] === ",") ++at;
      else if (target[at] !== ")") return null;
      skip();
    }
    ++at;
    return {call: word, args};
  };
  const found = node(0);
  skip();
  return found && at === target.length ? found : null;
}

/** @typedef {{series?: string, expr?: string, title?: string, stack?: boolean}} Meaning */

/**
 * What a target means here.
 * @param {Node} node
 * @returns {Meaning|string} the name of the function that is not known
 */
export function meaningOf(node) {
  if ("path" in node) return {series: /[*?[{]/.test(node.path) ? `g:${node.path}` : node.path};
  if (!("call" in node)) return "a text or number alone";
  const [first, second] = node.args;
  if (!first) return node.call;
  if (kLooks.has(node.call)) {
    const inner = meaningOf(first);
    if (typeof inner === "string") return inner;
    if (node.call === "alias" && second && "text" in second) return {...inner, title: second.text};
    return node.call === "stacked" ? {...inner, stack: true} : inner;
  }
  if (node.call === "group" && node.args.length === 1) return meaningOf(first);
  /** @param {Node} of */
  const expr = (of) => {
    const inner = meaningOf(of);
    return typeof inner === "string" ? inner : {text: inner.expr ?? selector(inner.series ?? ""), title: inner.title};
  };
  const inner = expr(first);
  if (typeof inner === "string") return inner;
  const title = inner.title;
  if (Object.hasOwn(kAggregations, node.call)) {
    const parts = node.args.map(expr);
    const unknown = parts.find((part) => typeof part === "string");
    if (typeof unknown === "string") return unknown;
    const all = parts.map((part) => /** @type {{text: string}} */ (part).text);
    return {expr: `${kAggregations[node.call]}(${all.join(" or ")})`, title};
  }
  if (Object.hasOwn(kTops, node.call)) return {expr: `${kTops[node.call]}(${second && "number" in second ? second.number : 1}, ${inner.text})`, title};
  if (node.call === "scale" && second && "number" in second) return {expr: `${inner.text} * ${second.number}`, title};
  if (node.call === "offset" && second && "number" in second) return {expr: `${inner.text} + ${second.number}`, title};
  if (node.call === "absolute") return {expr: `abs(${inner.text})`, title};
  if (node.call === "nonNegativeDerivative" || node.call === "perSecond") return {expr: `rate(${inner.text}[$step])`, title};
  if ((node.call === "divideSeries" || node.call === "diffSeries") && second) {
    const other = expr(second);
    if (typeof other === "string") return other;
    return {expr: `${inner.text} ${node.call === "divideSeries" ? "/" : "-"} ignoring(__name__) ${other.text}`, title};
  }
  return node.call;
}

/** @param {string} series */
function selector(series) {
  return series.startsWith("g:") ? `{__graphite__=${JSON.stringify(series.slice(2))}}` : `{${JSON.stringify(series)}}`;
}

/** Whether a JSON is a dashboard of Graphite. @param {unknown} value */
export function isGraphite(value) {
  const state = isObject(value) && isObject(value.state) ? value.state : value;
  return isObject(state) && Array.isArray(state.graphs) && state.graphs.length > 0 && state.graphs.every((graph) => Array.isArray(graph) && isObject(graph[1]));
}

/**
 * @param {unknown} json as Graphite's dashboard loads and saves it, with or without `state` around it
 * @param {string} [title]
 * @returns {Imported}
 */
export function importGraphite(json, title) {
  const state = /** @type {any} */ (isObject(json) && isObject(json.state) ? json.state : json);
  /** @type {Imported} */
  const result = {dashboard: {format: 1, title: title ?? (typeof state?.name === "string" && state.name ? state.name : "from Graphite"), notes: "", vars: [], time: {from: rangeOf(state)}, panels: []}, left: []};
  if (!isGraphite(json)) return {...result, left: ["this is no dashboard of Graphite"]};
  state.graphs.forEach((/** @type {any} */ graph, /** @type {number} */ i) => {
    const params = graph[1];
    const targets = Array.isArray(params.target) ? params.target : [params.target ?? graph[0]];
    addPanels(result, params, targets.filter((/** @type {unknown} */ target) => typeof target === "string"), i);
  });
  result.dashboard.panels.forEach((panel, i) => { panel.at = placeOf(i, 6); });
  return result;
}

/** Plain series of a graph are one panel; each expression is one of its own. @param {Imported} result @param {any} params @param {string[]} targets @param {number} i */
function addPanels(result, params, targets, i) {
  const name = typeof params.title === "string" && params.title ? params.title : "";
  /** @type {Meaning[]} */
  const plain = [];
  /** @type {any[]} */
  const panels = [];
  for (const target of targets) {
    const node = parseTarget(target);
    const meaning = node ? meaningOf(node) : "its syntax";
    if (typeof meaning === "string") result.left.push(`graph ${i + 1}${name ? ` (${name})` : ""}: ${meaning} of ${target.slice(0, 200)}`);
    else if (meaning.series) plain.push(meaning);
    else panels.push({expr: meaning.expr, title: meaning.title ?? name ?? undefined});
  }
  const isStack = params.areaMode === "stacked" || plain.some((meaning) => meaning.stack);
  if (plain.length) panels.unshift({series: plain.map((meaning) => meaning.series), title: name || (plain.length === 1 ? plain[0].title : undefined)});
  for (const panel of panels) {
    if (result.dashboard.panels.length >= kPanelsMax) {
      result.left.push(`graph ${i + 1}: a dashboard has at most ${kPanelsMax} panels`);
      return;
    }
    if (!panel.title) delete panel.title;
    if (isStack) panel.view = "stack";
    if (params.yMin !== undefined && params.yMax !== undefined && Number.isFinite(Number(params.yMin)) && Number(params.yMax) > Number(params.yMin)) panel.limits = [Number(params.yMin), Number(params.yMax)];
    if (params.logBase) panel.y = "log";
    result.dashboard.panels.push(panel);
  }
  if (targets.length === 0) result.left.push(`graph ${i + 1}: it has no target`);
}

/** @param {any} state */
function rangeOf(state) {
  const time = state?.timeConfig;
  const count = Number(time?.relativeStartQuantity);
  const unit = kUnits[String(time?.relativeStartUnits)];
  if (time?.type === "relative" && Number.isInteger(count) && count > 0 && count < 1000 && unit) return unit === "M" ? `-${count * 30}d` : `-${count}${unit}`;
  const from = /^-(\d{1,3})(s|min|h|d|w|y|hours?|days?|minutes?|weeks?)$/.exec(String(state?.defaultGraphParams?.from ?? ""));
  return from ? `-${from[1]}${from[2][0]}` : "-1h";
}

// The state of the page in the fragment of its URL: `#/SCREEN/ARGUMENT?KEY=VALUE&…`. This file is the only writer. Keys
// have a fixed order, defaults are left out, and keys that this version does not know are kept, so a link of another
// version loses nothing. The fragment is never sent to a server, so names stay out of logs.

/**
 * @typedef {object} Route
 * @property {string} screen `hosts`, `host`, `explore`, `dashboards`, `d`, `status`, `v`
 * @property {string} arg what follows the screen, as the host in `host/web1`; may be empty
 * @property {string} from start of the range, as the user gave it: `-1h` or unix seconds
 * @property {string} until
 * @property {string} tz time zone of this link; empty: the one of the preferences
 * @property {string} live `1` if live, else empty
 * @property {string} cmp `1d` or `1w`: what the panels are compared with; else empty
 * @property {string} at crosshair, unix seconds
 * @property {string} k number of the panel in focus
 * @property {string} big number of the panel that is open large
 * @property {Record<string, string[]>} own all other keys with their values
 */

/** @typedef {"from"|"until"|"tz"|"live"|"cmp"|"at"|"k"|"big"} CommonKey */

export const kDefaultFrom = "-1h";
export const kDefaultUntil = "now";

/** Above this length a link is better stored at the server. */
export const kLinkLengthMax = 6000;

/** @type {CommonKey[]} */
const kCommon = ["from", "until", "tz", "live", "cmp", "at", "k", "big"];
/** @type {Record<CommonKey, string>} */
const kDefaults = { from: kDefaultFrom, until: kDefaultUntil, tz: "", live: "", cmp: "", at: "", k: "", big: "" };
// Keys of screens in the order in which links have them. Keys of panels (p0, p0.st) follow, then all others.
const kOrder = ["f", "g", "s", "m", "x", "o", "dev", "vs", "q", "n", "ver", "c"];
const kScreens = new Set(["hosts", "host", "explore", "dashboards", "d", "status", "v", "help"]);

/**
 * Escapes what would end a value, and nothing else, so that names stay readable.
 * @param {string} text
 */
function escape(text) {
  return encodeURIComponent(text).replace(
    /%(20|2C|3A|3B|2F|40|24)/g,
    (escaped, hex) => hex === "20" ? "+" : decodeURIComponent(escaped),
  );
}

/** @param {string} text */
function unescape(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;  // a link that was cut or typed: shown as it is
  }
}

/** @returns {Route} */
export function emptyRoute() {
  return { screen: "hosts", arg: "", ...kDefaults, own: Object.create(null) };
}

/**
 * @param {string} fragment with or without its `#`
 * @returns {Route}
 */
export function parseFragment(fragment) {
  const route = emptyRoute();
  const text = fragment.replace(/^#?\/?/, "");
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const slash = path.indexOf("/");
  const screen = slash < 0 ? path : path.slice(0, slash);
  if (kScreens.has(screen)) {
    route.screen = screen;
    route.arg = slash < 0 ? "" : unescape(path.slice(slash + 1));
  }
  for (const pair of mark < 0 ? [] : text.slice(mark + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const key = unescape(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : unescape(pair.slice(equals + 1));
    const common = kCommon.find((name) => name === key);
    if (common !== undefined) route[common] = value === "" ? kDefaults[common] : value;
    else (route.own[key] ??= []).push(value);
  }
  return route;
}

/** Panels' keys sort by number, then by name: p0, p0.st, p1, p10. @param {string} key */
function rank(key) {
  const known = kOrder.indexOf(key);
  if (known >= 0) return [0, known, ""];
  const panel = /^p(\d+)(.*)$/.exec(key);
  if (panel) return [1, Number(panel[1]), panel[2]];
  return [2, 0, key];
}

/** @param {string} a @param {string} b */
function byRank(a, b) {
  const x = rank(a);
  const y = rank(b);
  for (let i = 0; i < 3; ++i) {
    if (x[i] !== y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}

/**
 * @param {Route} route
 * @returns {string} with its `#`
 */
export function formatFragment(route) {
  const pairs = [];
  for (const key of Object.keys(route.own).sort(byRank)) {
    for (const value of route.own[key]) pairs.push(`${escape(key)}=${escape(value)}`);
  }
  for (const key of kCommon) {
    if (route[key] !== kDefaults[key]) pairs.push(`${key}=${escape(route[key])}`);
  }
  const path = route.arg === "" ? route.screen : `${route.screen}/${escape(route.arg)}`;
  return `#/${path}${pairs.length > 0 ? "?" : ""}${pairs.join("&")}`;
}

/**
 * The first value of a key of the screen, or `otherwise`.
 * @param {Route} route
 * @param {string} key
 */
export function own(route, key, otherwise = "") {
  return Object.hasOwn(route.own, key) || key in route.own ? route.own[key][0] ?? otherwise : otherwise;
}

/**
 * A copy of the keys with some of them set; an empty text or list removes a key.
 * @param {Route} route
 * @param {Record<string, string | string[]>} change
 * @returns {Record<string, string[]>}
 */
export function withOwn(route, change) {
  /** @type {Record<string, string[]>} */
  const keys = Object.assign(Object.create(null), route.own);
  for (const [key, value] of Object.entries(change)) {
    const values = typeof value === "string" ? [value] : value;
    if (values.length === 0 || (values.length === 1 && values[0] === "")) delete keys[key];
    else keys[key] = values;
  }
  return keys;
}

/**
 * Ties a store of the route to the address bar, which always has the present state, so a reload loses nothing. A change of
 * the crosshair replaces the entry of the history. Of other changes those that follow each other within `kSettle` are one
 * entry, so a drag is one step back.
 * @param {{store: import("./store.js").Store<Route>, window: Window & typeof globalThis}} needs
 */
export function tieToAddress({ store, window }) {
  const kSettle = 300;  // ms
  /** @type {number|undefined} */
  let timer;
  let isFromAddress = false;

  /** @param {Route} route @param {Route} before */
  function isStep(route, before) {
    const calm = { at: "", k: "" };
    return formatFragment({ ...route, ...calm }) !== formatFragment({ ...before, ...calm });
  }

  /** @param {Route} route @param {Route} before */
  function write(route, before) {
    const fragment = formatFragment(route);
    if (fragment === window.location.hash) return;
    const isOther = route.screen !== before.screen || route.arg !== before.arg;
    if (isOther || (isStep(route, before) && timer === undefined)) window.history.pushState(null, "", fragment);
    else window.history.replaceState(null, "", fragment);
    if (!isStep(route, before)) return;
    window.clearTimeout(timer);
    timer = isOther ? undefined : window.setTimeout(() => { timer = undefined; }, kSettle);
  }

  store.listen((now, before) => {
    if (!isFromAddress) write(now, before);
  });
  const read = () => {
    window.clearTimeout(timer);
    timer = undefined;
    isFromAddress = true;
    store.set(parseFragment(window.location.hash));
    isFromAddress = false;
  };
  window.addEventListener("popstate", read);
  window.addEventListener("hashchange", () => {
    if (formatFragment(store.get()) !== window.location.hash) read();
  });
}

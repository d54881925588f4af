// The composition root: makes state, client, pool and frame, and shows the screen of the route. The only file with
// effects at import.

import { createAnswers } from "./data/answers.js";
import { createBatch } from "./data/batch.js";
import { createClient } from "./data/client.js";
import { createClock } from "./data/clock.js";
import { createDashboards } from "./data/dashboards.js";
import { createHosts } from "./data/hosts.js";
import { createLive } from "./data/live.js";
import { createLosses } from "./data/losses.js";
import { createNames } from "./data/names.js";
import { changed, kShortest, resolve } from "./model/range.js";
import { copyText, saveFile, showToast } from "./parts/output.js";
import { createCurrent } from "./screens/current.js";
import { createFrame, kScreens } from "./screens/frame.js";
import { createHostsScreen } from "./screens/hosts.js";
import { createParts } from "./screens/parts.js";
import { createDrafts } from "./state/drafts.js";
import { createHeldKeys } from "./state/held_keys.js";
import { createSequences, keyName, takesEnter, takesText } from "./state/keys.js";
import { createPrefs, zoneName } from "./state/prefs.js";
import { createStore, oncePerFrame } from "./state/store.js";
import { emptyRoute, formatFragment, kDefaultFrom, kLinkLengthMax, parseFragment, tieToAddress, withOwn } from "./state/url.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state/url.js").Route} Route */

const kStatusMs = 10_000;
/** Ranges for servers whose data are younger. @type {[string, number][]} */
const kYoung = [["-5m", 300], ["-15m", 900]];

/** @param {string} id @returns {HTMLElement} */
function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the shell has no #${id}`);
  return element;
}

/** Storage may be forbidden; then reading the property already throws. @param {"localStorage"|"sessionStorage"} name */
function storageOf(name) {
  try {
    return window[name];
  } catch {
    return null;
  }
}

let loads = 0;
const parts = createParts({
  onLoading(now) {
    loads = now;
    drawProgress();
  },
  onMissing() {
    app.toast("This did not load: the server did not send it. Try again, or reload the page.");
    void readStatus();
  },
});

/** Only the first screen is there from the start. */
const kMakers = {
  hosts: async () => createHostsScreen,
  host: async () => (await parts.panels()).createHostScreen,
  explore: async () => (await parts.panels()).createExplore,
  status: async () => (await parts.later()).createStatus,
  dashboards: async () => (await parts.later()).createDashboardsScreen,
  d: async () => (await parts.later()).createDashboardScreen,
};

const prefs = createPrefs(storageOf("localStorage"));
const store = createStore(parseFragment(window.location.hash));
const link = createStore({ isAway: false, since: 0 });
const server = createStore(/** @type {import("./app.js").ServerState} */ ({ status: null, refused: 0, losses: null, live: "off", isNewer: false, hostRetention: "" }));
const clock = createClock();
const client = createClient({ clock, link, onTokenNeeded: () => { if (clock.steady() >= askAgainAt) void askToken(); } });
const batch = createBatch({ client });
const answers = createAnswers({ batch });
const hosts = createHosts({ client });
const losses = createLosses({ client, hosts });
const main = byId("main");
/** Ranges before the present one, so that "back" returns after a zoom. @type {[string, string][]} */
const ranges = [];

/** The page of the server when this one was opened; null until the server has told. @type {string|null} */
let firstBuild = null;
/** The server has another page than when this one was opened. @param {unknown} build */
function isOtherBuild(build) {
  if (typeof build !== "string" || build === "") return false;
  firstBuild ??= build;
  return build !== firstBuild;
}

const kAskAgainMs = 10_000;
let isAskingToken = false;
let askAgainAt = 0;  // ms of the steady clock: before it no answer of the server opens the dialog
/** The server wants a token: it is typed here, and kept in memory, or as long as the tab on request. */
async function askToken() {
  if (isAskingToken) return;
  isAskingToken = true;
  let isGiven = false;
  // The page asks the server every few seconds, and each 401 would open a dialog that was closed or did not load.
  const end = () => {
    isAskingToken = false;
    askAgainAt = isGiven ? 0 : clock.steady() + kAskAgainMs;
  };
  const isThere = await parts.use((part) => part.openToken(storageOf("sessionStorage"), (token) => {
    isGiven = true;
    client.setToken(token);
    current.again();  // the server has refused what the screen asked
    void readStatus();
  }, end));
  if (!isThere) end();
}

const live = createLive({
  client, document,
  channel: typeof BroadcastChannel === "function" ? new BroadcastChannel("statmill.live") : null,
  onState(event, data) {
    if (event === "assets") window.location.reload();  // for those who work on the page; all state is in the address
    if (event !== "state") return;
    server.patch({ refused: data.refused ?? server.get().refused, isNewer: isOtherBuild(data.build) });
  },
  onMode: (how) => server.patch({ live: how }),
});

/** @type {App} */
const app = {
  store, route: store.get, client, clock, batch, answers, live, hosts, losses, prefs, server,
  get pool() {
    const pool = parts.pool();
    if (pool === null) throw new Error("only screens with panels have plots");
    return pool;
  },
  names: createNames({ client }),
  dashboards: createDashboards({ client }),
  drafts: createDrafts(storageOf("localStorage")),
  zone: () => zoneName(store.get().tz || prefs.get().zone),
  go(change) {
    const now = store.get();
    const isOther = change.screen !== undefined && (change.screen !== now.screen || (change.arg ?? "") !== now.arg);
    const fresh = isOther ? { arg: "", own: Object.create(null), k: "", big: "", at: "" } : {};
    const keys = change.own ? { own: Object.assign(Object.create(null), change.own) } : {};
    store.set({ ...now, ...fresh, ...change, ...keys });
  },
  goOwn: (change) => store.patch({ own: withOwn(store.get(), change) }),
  back() {
    const before = ranges.pop();
    if (before) store.patch({ from: before[0], until: before[1] });
  },
  setRange(from, until) {
    const now = store.get();
    if (now.from === from && now.until === until) return;
    ranges.push([now.from, now.until]);
    if (ranges.length > 50) ranges.shift();
    store.patch({ from, until });
  },
  act(name) {
    const { from, until } = store.get();
    const now = clock.now();
    const range = { from: resolve(from, now) ?? now - 3600, until: resolve(until, now) ?? now };
    const moves = { earlier: { move: -0.5 }, later: { move: 0.5 }, in: { scale: 0.5 }, out: { scale: 2 } };
    const next = changed(range, moves[name]);
    // a range that ends now goes on ending now, and is zoomed around its end
    if (until === "now" && (name === "in" || name === "out")) {
      app.setRange(`-${Math.max(kShortest, Math.round(next.until - next.from))}s`, "now");
    } else if (next.until >= now) {
      app.setRange(`-${Math.max(kShortest, Math.round(next.until - next.from))}s`, "now");
    } else app.setRange(String(Math.round(next.from)), String(Math.round(next.until)));
  },
  announce(text) {
    byId("announce").textContent = text;
  },
  toast: (text) => showToast(byId("layers"), text),
  copy: (text, what) => copyText(text, () => app.toast(`Copied: ${what}`)),
  save: saveFile,
  copyLink: (isFixed) => void copyLink(isFixed),
  askToken: () => void askToken(),
  later: (run) => void parts.use(run),
  readStatus: () => readStatus(),
  refresh() {
    void readStatus();
    current.get()?.refresh();
  },
};

let requests = 0;
function drawProgress() {
  byId("progress").classList.toggle("on", requests + loads > 0);
}

/** @param {boolean} isFixed with the times as they are now */
async function copyLink(isFixed) {
  const now = clock.now();
  const route = { ...store.get() };
  if (isFixed) {
    route.from = String(Math.round(resolve(route.from, now) ?? now - 3600));
    route.until = String(Math.round(resolve(route.until, now) ?? now));
    route.live = "";
  }
  let fragment = formatFragment(route);
  if (fragment.length > kLinkLengthMax) {
    try {
      fragment = formatFragment({ ...emptyRoute(), screen: "v", arg: await app.dashboards.keepView(fragment) });
    } catch {
      // the long link works as well
    }
  }
  app.copy(`${window.location.origin}/${fragment}`, isFixed ? "link with fixed times" : "link, moving with the time");
}

function openHelp() {
  app.later((part) => part.openHelp(app));
}

function toggleZone() {
  const now = prefs.get().zone;
  prefs.patch({ zone: now === "UTC" ? "local" : "UTC" });
  app.go({ tz: "" });
}

function nextTheme() {
  const themes = /** @type {const} */ (["auto", "light", "dark"]);
  prefs.patch({ theme: themes[(themes.indexOf(prefs.get().theme) + 1) % themes.length] });
}

/** What both keys and the search's commands do. @type {Record<string, {label: string, words: string, run: () => void}>} */
const kActions = {
  ...Object.fromEntries(kScreens.map((one) => [`g ${one.key}`, {
    label: `Go to ${one.label}`, words: "screen open", run: () => app.go({ screen: one.id, arg: "" }),
  }])),
  t: { label: "Type a range of time", words: "range from until", run: () => frame.openTimes() },
  "-": { label: "Zoom out", words: "range longer", run: () => app.act("out") },
  "+": { label: "Zoom in", words: "range shorter", run: () => app.act("in") },
  a: { label: "Earlier", words: "range left", run: () => app.act("earlier") },
  d: { label: "Later", words: "range right", run: () => app.act("later") },
  0: { label: "Back to the range before", words: "range undo", run: () => app.back() },
  ".": { label: "Live on or off", words: "stream", run: () => app.go({ live: store.get().live === "1" ? "" : "1" }) },
  r: { label: "Refresh", words: "reload", run: () => app.refresh() },
  z: { label: "Time zone: UTC or mine", words: "clock", run: toggleZone },
  m: { label: "Theme: auto, light, dark", words: "colour dark", run: nextTheme },
  y: { label: "Copy link, moving with the time", words: "share url", run: () => void copyLink(false) },
  Y: { label: "Copy link with fixed times", words: "share url", run: () => void copyLink(true) },
  "?": { label: "Help and keys", words: "keyboard", run: openHelp },
};

const frame = createFrame({
  app, link, frame: byId("frame"), bottom: byId("bottom"), banner: byId("banner"), openHelp,
  commands: () => Object.entries(kActions).map(([key, action]) => ({ ...action, key })),
  onSeries(name, kind, more) {
    const now = store.get();
    const keys = more && now.screen === "explore" ? Object.keys(now.own).filter((key) => /^p\d+$/.test(key)) : [];
    const free = keys.reduce((next, key) => Math.max(next, Number(key.slice(1)) + 1), 0);
    const own = more && now.screen === "explore" ? withOwn(now, { [`p${free}`]: name }) : { p0: [name] };
    app.go({ screen: "explore", arg: "", own, k: String(free) });
  },
});

const drawFrame = oncePerFrame(frame.draw);

function drawTheme() {
  const { theme } = prefs.get();
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  parts.pool()?.restyle();
}

function drawTitle() {
  const screen = current.get();
  document.title = screen === null ? "statmill" : `${screen.title()} · statmill`;
}

/** @param {Route} route */
async function openView(route) {
  try {
    const fragment = await app.dashboards.view(route.arg);
    store.set(parseFragment(fragment));
  } catch (error) {
    main.textContent = error instanceof Error ? error.message : "This view is not there.";
  }
}

function show() {
  drawFrame();
  const route = store.get();
  if (route.screen === "v") {
    current.leave();
    void openView(route);
  } else current.show();
}

/** Learns how long hosts are kept. A young server has little to show of an hour: the range is then the shortest one that has all. */
async function fitRange() {
  const { from, until } = store.get();
  const isFree = from === kDefaultFrom && until === "now" && !/[?&]from=/.test(window.location.hash);
  try {
    const answer = await client.get("/api/v1/series", { match: "{host.up*,statmill.series}", limit: 1 });
    const one = answer.series[0];
    if (one?.name.startsWith("host.")) {
      server.patch({ hostRetention: one.retention });
      current.show();  // expressions may have seconds
    }
    if (!isFree) return;
    const first = one?.first_s;
    if (server.get().status === null) await readStatus();  // the server's time
    const age = clock.now() - first;
    const fit = kYoung.find(([, seconds]) => age > 0 && age < seconds);
    if (!fit || store.get().from !== kDefaultFrom) return;
    // no step of the user: Back must not return to the other range
    window.history.replaceState(null, "", formatFragment({ ...store.get(), from: fit[0] }));
    store.patch({ from: fit[0] });
  } catch {
    // the usual range shows the same, with more hatch
  }
}

/** The range whose losses are known, or asked. */
let lossRange = "";
async function readLosses() {
  const { from, until } = store.get();
  const now = clock.now();
  const range = `${from} ${until}`;
  if (range !== lossRange) server.patch({ losses: null });
  lossRange = range;
  const end = resolve(until, now) ?? now;
  const found = await losses.load({ from, until }, { from: resolve(from, now) ?? end - 3600, until: end }).catch(() => null);
  if (range === lossRange && found !== null) server.patch({ losses: found });
}

/** @type {Promise<any>|null} */
let readingStatus = null;
/** The server's state, once for all who ask at the same time; null if it did not answer. */
function readStatus() {
  readingStatus ??= askStatus().finally(() => { readingStatus = null; });
  return readingStatus;
}

async function askStatus() {
  void readLosses();
  try {
    const status = await client.get("/api/v1/status");
    const refused = Object.values(status.samples ?? {}).reduce((sum, one) =>
      sum + Object.values(one.refused ?? {}).reduce((/** @type {number} */ a, b) => a + Number(b), 0), 0);
    server.patch({ status, refused });
    drawTitle();
    return status;
  } catch {
    drawTitle();
    return null;  // the link's state says it
  }
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const name = keyName(event);
  if (name === "" || event.defaultPrevented) return;
  if (name === "Ctrl+K") {
    event.preventDefault();
    frame.search();
    return;
  }
  if (takesText(event.target) || isCovered()) return;
  if (name.endsWith("Enter") && takesEnter(event.target)) return;
  if (!prefs.get().letters && name.length === 1 && name !== "/") return;
  press(sequences.press(name, event.timeStamp), event);
}

/** A dialog has the keys. */
function isCovered() {
  return document.querySelector("dialog[open]") !== null;
}

/** @param {string} pressed a key or a sequence of keys @param {KeyboardEvent} event */
function press(pressed, event) {
  if (pressed === "" || isCovered()) return;
  const isGo = pressed.startsWith("g ");  // acts at once: a screen that does not come holds nobody
  if (pressed === "/") {
    event.preventDefault();
    frame.search();
  } else if (!isGo && current.isComing()) {
    if (event.ctrlKey || event.metaKey) event.preventDefault();  // the browser has another use for it
    held.hold(pressed, event);
  } else if (current.get()?.key?.(pressed, event)) {
    event.preventDefault();
  } else if (Object.hasOwn(kActions, pressed)) {
    event.preventDefault();
    kActions[pressed].run();
  }
}

const held = createHeldKeys(press);
const current = createCurrent({ main, app, makers: kMakers, held, onDrawn: drawTitle });
const sequences = createSequences();
byId("frame").textContent = "";
tieToAddress({ store, window });
store.listen(show);
store.listen((now) => live.turn(now.live === "1"));
store.listen((now, before) => {
  if (now.from !== before.from || now.until !== before.until) void readLosses();
});
prefs.listen(() => { drawTheme(); show(); });
link.listen((now, before) => {
  drawFrame();
  if (before.isAway && !now.isAway) app.refresh();
});
server.listen(drawFrame);
hosts.onLoad(drawFrame);
client.onPending((now) => {
  requests = now;
  drawProgress();
  if (now === 0 && current.get() !== null) parts.preload();  // the first picture is drawn
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => parts.pool()?.restyle());
document.addEventListener("keydown", onKey);

// The clock of the page: status, ages in the frame, and tries while the server is away.
const kTries = [1, 2, 4, 8, 15];  // s
let nextTry = 0;
let tries = 0;
window.setInterval(() => {
  if (document.hidden) return;
  if (link.get().isAway) {
    drawFrame();
    const now = clock.steady() / 1000;
    if (now >= nextTry) {
      nextTry = now + kTries[Math.min(tries++, kTries.length - 1)];
      void readStatus();
    }
  } else tries = 0;
}, 1000);
window.setInterval(() => {
  if (!document.hidden && !link.get().isAway) void readStatus();
}, kStatusMs);

/** @type {number|undefined} */
let refreshing;
/** Live mode without a stream's help: the screen is refreshed each few seconds. */
function tickRefresh() {
  clearTimeout(refreshing);
  const isLive = store.get().live === "1";
  refreshing = window.setTimeout(() => {
    if (isLive && !document.hidden && !link.get().isAway) current.get()?.refresh();
    tickRefresh();
  }, prefs.get().every * 1000);
}
store.listen((now, before) => {
  if (now.live === before.live) return;
  tickRefresh();
  if (now.live !== "1") return;
  answers.expire();  // the stream tells only of what comes from now on
  current.get()?.refresh();
});
prefs.listen(tickRefresh);

client.setToken(storageOf("sessionStorage")?.getItem("statmill.token") ?? "");
drawTheme();
show();
void readStatus();
void fitRange();
if (store.get().screen !== "hosts" && store.get().screen !== "host") void hosts.load().catch(() => undefined);
live.turn(store.get().live === "1");
tickRefresh();

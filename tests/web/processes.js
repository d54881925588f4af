// What tests and measurements of the page share: a real statmilld that serves the packed page, a chromium, and a fleet of
// hosts that is fed as programs and agents feed it. Everything is on free ports and is ended by its process id.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const kRoot = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..");
const kModules = process.env.STATMILL_NODE_MODULES ?? join(kRoot, "web/node_modules");
export const kServer = join(process.env.STATMILL_BIN ?? join(kRoot, "build/release/bin"), "statmilld");
const kBrowser = process.env.STATMILL_BROWSER ?? "/usr/bin/chromium-headless-shell";
const kArguments = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  // names of a foreign site that points to this host
  "--host-resolver-rules=MAP *.test 127.0.0.1",
];
export const kWait = 60_000;  // ms, the longest wait for anything; computers that run many tests at once are slow

/** A package of the tests. @param {string} name */
export function load(name) {
  return createRequire(join(kModules, "x.js"))(name);
}

/** Why no browser can be started here; empty if one can. */
export function whyNot() {
  if (!existsSync(kModules)) return `no ${kModules}`;
  if (!existsSync(kBrowser)) return `no ${kBrowser}`;
  if (!existsSync(kServer)) return `no ${kServer}`;
  return "";
}

/** @type {(() => Promise<void>|void)[]} */
const endings = [];
/** Ends all servers and the browser. */
export async function endAll() {
  for (const end of endings.splice(0).reverse()) await end();
}

let packed = "";
/** The folder of the packed page: that of the build, STATMILL_PAGE; without it one that is made once for each test file. */
export function pageFolder() {
  if (process.env.STATMILL_PAGE) return process.env.STATMILL_PAGE;
  if (packed === "") {
    packed = mkdtempSync(join(tmpdir(), "statmill-page-"));
    execFileSync(process.execPath, [join(kRoot, "web/pack.mjs"), packed, "--node-modules", kModules], { stdio: ["ignore", "ignore", "inherit"] });
    endings.push(() => rmSync(packed, { recursive: true, force: true }));
  }
  return packed;
}

/** A port that was free a moment ago, for a server that is started again at the same address. @returns {Promise<number>} */
export function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
      probe.close(() => done(port));
    });
  });
}

/**
 * @param {{store?: string, http?: string, page?: string, options?: string[]}} [how] an own store outlives the server; `page`: the
 *   folder of the page
 */
export async function startServer(how = {}) {
  const store = how.store ?? mkdtempSync(join(tmpdir(), "statmill-web-"));
  const child = spawn(kServer, [
    "--store.path", store, "--http.listen", how.http ?? "127.0.0.1:0", "--http.plain", "--line.listen", "127.0.0.1:0", "--agent.listen", "127.0.0.1:0",
    "--http.assets", how.page ?? pageFolder(), ...(how.options ?? []),
  ], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  /** @type {{http: string, lines: string}} */
  const ready = await new Promise((done, failed) => {
    child.on("exit", (status) => failed(new Error(`statmilld ended with ${status}: ${log}`)));
    child.stderr.on("data", (/** @type {Buffer} */ piece) => {
      log += piece;
      const found = /info ready .*?line=(\S+).*?http=(\S+)/.exec(log);
      if (found) done({ lines: found[1], http: found[2] });
    });
  });
  let isUp = true;
  const ended = new Promise((done) => child.once("close", done));
  const server = {
    ...ready,
    url: `http://${ready.http}/`,
    async stop() {
      if (!isUp) return;
      isUp = false;
      child.removeAllListeners("exit");
      child.kill("SIGTERM");
      await ended;
    },
    /** @param {string[]} lines all must be accepted, unless `some` */
    async feed(lines, some = false) {
      const answer = await fetch(`http://${ready.http}/api/v1/lines`, { method: "POST", body: `${lines.join("\n")}\n` });
      if (answer.status !== 200 && !some) throw new Error(await answer.text());
    },
    /** @param {string} path */
    json: async (path) => (await fetch(`http://${ready.http}${path}`)).json(),
  };
  endings.push(async () => {
    await server.stop();
    if (how.store === undefined) rmSync(store, { recursive: true, force: true });
  });
  return server;
}

/** The demo, with made-up data of years. @param {string[]} [options] */
export function startDemo(options = []) {
  return startServer({ options: ["--demo", ...options] });
}

/**
 * Asks until there is an answer, for what nothing tells of.
 * @template T @param {() => Promise<T|null|undefined|false>} ask @returns {Promise<T>}
 */
export async function answered(ask) {
  for (const end = Date.now() + kWait; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) {
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`no answer within ${kWait} ms: ${ask}`);
}

/** Debian's chromium without a window. @returns {Promise<any>} */
export function startBrowser() {
  return load("playwright-core").chromium.launch({ executablePath: kBrowser, args: kArguments });
}

/** The pages that are open, each with the messages of its console. @type {Map<any, string[]>} */
const pages = new Map();

/** What the open pages show, for the output of a test that failed. @returns {Promise<string>} */
export async function describePages() {
  const lines = [];
  for (const [page, messages] of pages) {
    const shown = await page.evaluate(() => {
      const text = (/** @type {Element|null} */ one) => (/** @type {HTMLElement|null} */ (one)?.innerText ?? "").replace(/\s+/g, " ").trim().slice(0, 500);
      const { activeElement } = document;
      return [
        location.hash, `focus: ${activeElement?.outerHTML.slice(0, 200)}`,
        ...["#banner", "#progress", "#layers", "#main"].map((id) => `${id}: ${document.querySelector(id)?.className ?? ""} ${text(document.querySelector(id))}`),
      ];
    }).catch((/** @type {Error} */ error) => [String(error)]);
    lines.push(...shown, ...messages.slice(-10).map((one) => `console: ${one}`));
  }
  return lines.map((line) => `page: ${line}\n`).join("");
}

/** Closes the open pages, which would go on asking their servers. What a test does with a request may be cut short by it. */
export async function closePages() {
  await Promise.all([...pages.keys()].map(async (page) => {
    if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.context().close();
  }));
  pages.clear();
}

/** @type {any} */
let browser = null;
/**
 * A page whose console, errors and requests are kept.
 * @param {{url: string}} server
 * @param {{width?: number, height?: number, dark?: boolean, touch?: boolean}} [how]
 */
export async function openPage(server, { width = 1280, height = 800, dark = false, touch = false } = {}) {
  if (browser === null) {
    browser = await startBrowser();
    endings.push(() => browser.close());
  }
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: touch, isMobile: touch });
  const page = await context.newPage();
  page.setDefaultTimeout(kWait);
  /** @type {string[]} */
  const messages = [];
  /** @type {string[]} */
  const requests = [];
  /** @type {string[]} */
  const dialogs = [];
  page.on("console", (/** @type {any} */ message) => messages.push(`${message.text()} ${message.location().url}`));
  page.on("pageerror", (/** @type {Error} */ error) => messages.push(error.stack ?? error.message));
  page.on("request", (/** @type {any} */ request) => requests.push(`${request.method()} ${request.url()}`));
  pages.set(page, messages);
  page.on("dialog", (/** @type {any} */ dialog) => { dialogs.push(dialog.message()); void dialog.dismiss(); });
  return {
    page, messages, requests, dialogs,
    /** @param {string} fragment */
    async go(fragment) {
      await page.goto(`${server.url}${fragment}`);
    },
    close: () => context.close(),
  };
}

/** Presses keys one after the other, without a pause that would end a sequence. @param {any} page @param {string[]} keys */
export async function pressSequence(page, ...keys) {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

const kRoles = { web: 4, db: 3, cache: 2 };

/** Lines of one slot of a small fleet; db3's disk has two modes, 1 ms and 80 ms. @param {number} time */
export function fleetLines(time) {
  const lines = [];
  let number = 0;
  for (const [role, count] of Object.entries(kRoles)) {
    for (let i = 1; i <= count; ++i, ++number) {
      const tags = { dc: number % 2 ? "ams" : "fra", host: `${role}${i}.example.org`, role };
      const name = (/** @type {string} */ path, /** @type {Record<string, string>} */ more = {}) => `${path};${Object.entries({ ...tags, ...more })
        .sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => `${key}=${value}`).join(";")}`;
      const isSlow = role === "db" && i === 3;
      lines.push(
        `$c ${name("host.up")} ${time} 1`, `${name("host.cpu.busy_percent")} ${time} ${20 + number}`,
        `%${name("host.sched.runqueue_wait_ns")} ${time} h3 ${5 * 2 ** 17} 120:5`,
        `${name("host.memory.total_bytes")} ${time} 8589934592`, `${name("host.memory.available_bytes")} ${time} 4294967296`,
        `*${name("host.block.busy_ns", { device: "sda" })} ${time} ${isSlow ? 9.7e9 : 2e8}`,
        // buckets of h3 of 1 ms and of 80 ms
        `%${name("host.block.latency_ns", { device: "sda", op: "read" })} ${time} ${isSlow ? "h3 406000000 143:6 193:5" : "h3 6000000 143:6"}`,
        `*${name("host.net.bytes", { device: "eth0", direction: "receive" })} ${time} 12000000`,
      );
    }
  }
  return lines;
}

/**
 * Feeds the fleet over the last `minutes` up to now, and goes on until the server ends, so that no host is away however slow
 * this computer is.
 * @param {{feed: (lines: string[]) => Promise<void>}} server
 */
export async function feedFleet(server, minutes = 10) {
  const now = Math.floor(Date.now() / 10_000) * 10;
  const lines = [];
  for (let time = now - minutes * 60; time <= now; time += 10) lines.push(...fleetLines(time));
  await server.feed(lines);
  const timer = setInterval(() => {
    server.feed(fleetLines(Math.floor(Date.now() / 10_000) * 10)).catch(() => clearInterval(timer));
  }, 10_000);
  timer.unref();
  return now;
}

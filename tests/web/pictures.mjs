// The pictures of docs/pictures: each screen of a demo whose clock is stopped, light, dark and on a phone. Tests compare the
// page with them (pictures.test.js).
// Usage: STATMILL_BIN=DIR STATMILL_NODE_MODULES=DIR node tests/web/pictures.mjs OUT_DIR (tools/draw-pictures does it)
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const kNow = 1795615200;  // Wed 25 Nov 2026 14:00:00 UTC
const kRead = "host.block.latency_ns;dc%3Dams;device%3Dvda;host%3Ddb3.example.org;op%3Dread;role%3Ddb";
const kScreens = [
  { name: "hosts", hash: "#/hosts" },
  { name: "map", hash: "#/hosts?m=map&g=dc" },
  { name: "host", hash: "#/host/db3.example.org?o=disk&from=-2h" },
  { name: "explore", hash: "#/explore?from=-7d&q=shop&p0=shop.orders;app=cart&p1=shop.basket;app=cart&p2=g:shop.visits;*&p3=g:host.cpu.busy_percent;*role=db*&c=2" },
  { name: "panel", hash: `#/explore?from=-2h&p0=${kRead}&big=p0` },
  { name: "dashboard", hash: "#/d/fleet" },
  // it has figures of this moment and this computer: no two pictures of it are alike
  { name: "status", hash: "#/status", isCompared: false },
];
const kWide = { width: 1280, height: 800 };
const kPhone = { width: 380, height: 700 };
/** What would be drawn otherwise on another computer. */
const kArguments = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--hide-scrollbars", "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"];
const kTries = 60;
const kPatience = 120_000;  // ms

/** @typedef {{file: string, png: Buffer, isCompared: boolean}} Picture */

/**
 * The demo with its clock stopped, once all of its agents have come.
 * @param {string} program @param {string[]} [options]
 * @returns {Promise<{address: string, stop: () => Promise<void>}>}
 */
export async function startDemo(program, options = []) {
  const server = spawn(program, ["--demo", "--demo.now", String(kNow), ...options], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((done) => { server.once("close", done); });
  const address = await new Promise((found, failed) => {
    server.once("exit", () => failed(new Error("the demo did not start")));
    createInterface({ input: server.stdout }).on("line", (line) => {
      const at = /The demo is at (\S+)/.exec(line);
      if (at) found(at[1]);
    });
  });
  const ask = async (/** @type {string} */ path) => (await fetch(address + path)).json();
  let before = "";
  for (let i = 0; i < kTries; ++i) {
    const { hosts } = await ask("api/v1/hosts");
    const now = JSON.stringify(hosts);
    if (now === before && hosts.length === 50 && hosts.every((/** @type {any} */ one) => one.agent !== null)) break;
    before = now;
    await new Promise((done) => { setTimeout(done, 1000); });
  }
  return {
    address,
    async stop() {
      server.removeAllListeners("exit");
      server.kill("SIGTERM");
      await ended;
    },
  };
}

/** What pictures depend on apart from the page: the browser, and the fonts of this computer. @param {any} browser */
export async function drawnWith(browser) {
  const page = await browser.newPage();
  const fonts = await page.evaluate(() => {
    const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    return ["system-ui", "ui-monospace, monospace"].map((font) => {
      context.font = `100px ${font}`;
      return Math.round(context.measureText("statmill 0123456789 µ–✕△✓◆").width * 100) / 100;
    });
  });
  await page.close();
  return { browser: String(browser.version()).split(".")[0], fonts };
}

/**
 * Takes all pictures, one after another.
 * @param {any} browser @param {string} address @param {(picture: Picture) => void|Promise<void>} onPicture
 */
export async function takePictures(browser, address, onPicture) {
  for (const [viewport, schemes] of /** @type {const} */ ([[kWide, ["light", "dark"]], [kPhone, ["phone"]]])) {
    const isPhone = viewport === kPhone;
    const context = await browser.newContext({ viewport, colorScheme: "light", reducedMotion: "reduce", hasTouch: isPhone, isMobile: isPhone, timezoneId: "UTC", locale: "en-US" });
    // The time of the page is the server's, which stands still. No refresh comes while a slow computer still answers.
    await context.addInitScript(() => {
      performance.now = () => 1000;
      window.setInterval = /** @type {any} */ (() => 0);
      const setTimeout = window.setTimeout.bind(window);
      window.setTimeout = /** @type {any} */ ((/** @type {() => void} */ run, /** @type {number} */ ms) => (ms >= 5000 ? 0 : setTimeout(run, ms)));
    });
    for (const { name, hash, isCompared = true } of kScreens) {
      const page = await context.newPage();
      page.setDefaultTimeout(kPatience);
      // These warnings depend on what else the computer does.
      await page.route("**/api/v1/status", async (/** @type {any} */ route) => {
        const response = await route.fetch();
        const status = await response.json();
        status.warnings = Object.fromEntries(Object.entries(status.warnings).filter(([part]) => !part.startsWith("loop.")));
        await route.fulfill({ response, json: status });
      });
      await page.goto(address + hash);
      await page.waitForLoadState("networkidle");
      for (const scheme of schemes) {
        if (!isPhone) await page.emulateMedia({ colorScheme: scheme });
        await page.waitForFunction(() => document.querySelector("#progress.on, .skeleton") === null &&
          [...document.querySelectorAll(".panel.loading, .panel-state.first")].every((one) => one.getBoundingClientRect().top > innerHeight || one.getBoundingClientRect().bottom < 0), undefined, { timeout: kPatience });
        await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))); }));
        await onPicture({ file: `${name}-${scheme}.png`, png: await page.screenshot({ animations: "disabled" }), isCompared });
      }
      await page.unrouteAll({ behavior: "ignoreErrors" });  // the page may still ask
      await page.close();
    }
    await context.close();
  }
}

/** @param {(name: string) => any} load of a package */
export function launch(load) {
  return load("playwright-core").chromium.launch({ executablePath: process.env.STATMILL_BROWSER ?? "/usr/bin/chromium-headless-shell", args: kArguments });
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const load = createRequire(resolve(process.env.STATMILL_NODE_MODULES ?? "build/release/web/node_modules", "x.js"));
  const out = process.argv[2] ?? "docs/pictures";
  mkdirSync(out, { recursive: true });
  const demo = await startDemo(join(process.env.STATMILL_BIN ?? "build/release/bin", "statmilld"), process.argv.slice(3));
  const browser = await launch(load);
  try {
    writeFileSync(join(out, "drawn_with.json"), `${JSON.stringify(await drawnWith(browser))}\n`);
    await takePictures(browser, demo.address, ({ file, png }) => {
      writeFileSync(join(out, file), png);
      console.log(join(out, file));
    });
  } finally {
    await browser.close();
    await demo.stop();
  }
}

// Takes the pictures of docs/pictures: each screen of `statmilld --demo`, light and dark, and Hosts on a phone.
// Usage: STATMILL_BIN=DIR STATMILL_NODE_MODULES=DIR node tests/web/pictures.mjs OUT_DIR (tools/draw-pictures does it)
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const modules = process.env.STATMILL_NODE_MODULES ?? "build/release/web/node_modules";
const binaries = process.env.STATMILL_BIN ?? "build/release/bin";
const out = process.argv[2] ?? "docs/pictures";
const { chromium } = createRequire(resolve(modules, "x.js"))("playwright-core");

const kScreens = [
  { name: "hosts", hash: "#/hosts" },
  { name: "map", hash: "#/hosts?m=map&g=dc" },
  { name: "host", hash: "#/host/db3.example.org?o=disk&from=-2h" },
  { name: "explore", hash: "#/explore?from=-7d&q=shop&p0=shop.orders;app=cart&p1=shop.basket;app=cart&p2=g:shop.visits;*&p3=g:host.cpu.busy_percent;*role=db*&c=2" },
  { name: "dashboard", hash: "#/d/fleet" },
  { name: "status", hash: "#/status" },
];
const kFlags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars";

mkdirSync(out, { recursive: true });
const server = spawn(join(binaries, "statmilld"), ["--demo"], { stdio: ["ignore", "pipe", "pipe"] });
const address = await new Promise((found, reject) => {
  server.on("exit", () => reject(new Error("the demo did not start")));
  for (const stream of [server.stdout, server.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      const at = /The demo is at (\S+)/.exec(line);
      if (at) found(at[1]);
    });
  }
});
const browser = await chromium.launch({ executablePath: process.env.STATMILL_CHROMIUM ?? "/usr/bin/chromium", args: kFlags.split(" ") });

/** @param {string} file @param {string} hash @param {"light"|"dark"} scheme @param {number} width @param {number} height */
async function take(file, hash, scheme, width, height) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  await page.goto(address + hash);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(1500); // the last frames of what is drawn by and by
  await page.screenshot({ path: join(out, file) });
  await page.close();
  console.log(join(out, file));
}

try {
  // The present of the demo needs some slots, so that no panel ends in a hole.
  await new Promise((done) => { setTimeout(done, 25000); });
  for (const { name, hash } of kScreens) {
    for (const scheme of /** @type {const} */ (["light", "dark"])) await take(`${name}-${scheme}.png`, hash, scheme, 1280, 800);
  }
  await take("phone-light.png", "#/hosts", "light", 380, 700);
  await take("phone-dark.png", "#/host/db3.example.org?o=disk&from=-2h", "dark", 380, 700);
} finally {
  await browser.close();
  server.removeAllListeners("exit");
  server.kill("SIGTERM");
}

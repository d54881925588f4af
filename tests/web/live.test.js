import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { browserTest, openPage, pageFolder, startServer } from "./browser.js";

/** A server of this build may have no stream. @param {{http: string}} server */
async function streams(server) {
  const abort = new AbortController();
  const answer = await fetch(`http://${server.http}/api/v1/live`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: "{\"series\":[\"x\"]}", signal: abort.signal,
  });
  abort.abort();
  if (answer.status === 200) return true;
  process.stdout.write("skipped: this server has no stream\n");
  return false;
}

browserTest("live: a sample that is sent stands in the panel without another query", async () => {
  const server = await startServer();
  if (!await streams(server)) return;
  const earlier = Math.floor(Date.now() / 1000) - 60;
  await server.feed([`live.level ${earlier} 125`]);
  const { page, go, requests } = await openPage(server);
  // refreshes are a minute apart, so what comes earlier has come by the stream
  await page.addInitScript(() => localStorage.setItem("statmill.prefs", JSON.stringify({ every: 60 })));
  const streaming = page.waitForRequest((/** @type {any} */ request) => request.url().endsWith("/api/v1/live") && request.postData().includes("live.level"));
  await go("#/explore?p0=live.level&p0.v=table&live=1&from=-5m");
  await page.waitForSelector(".panel-cell:has-text('125')");
  await streaming;
  await page.waitForSelector(".live.is-live");
  const asks = () => requests.filter((one) => one.endsWith("/api/v1/query")).length;
  const before = asks();
  await server.feed(["live.level 765"]);
  await page.waitForSelector(".panel-cell:has-text('765')");
  assert.equal(asks(), before);
});

browserTest("live: the plot says a new sample without a query, and then second by second", async () => {
  const server = await startServer();
  if (!await streams(server)) return;
  await server.feed([`live.level ${Math.floor(Date.now() / 1000) - 60} 125`]);
  const { page, go, requests } = await openPage(server);
  await page.addInitScript(() => localStorage.setItem("statmill.prefs", JSON.stringify({ every: 60 })));
  const streaming = page.waitForRequest((/** @type {any} */ request) => request.url().endsWith("/api/v1/live") && request.postData().includes("live.level"));
  await go("#/explore?p0=live.level&live=1&from=-5m");
  await page.waitForSelector(".panel-body[aria-label*='now 125']");
  await streaming;
  await page.waitForLoadState("load");
  const asks = () => requests.filter((one) => one.endsWith("/api/v1/query")).length;
  const before = asks();
  const seconds = page.locator(".panel-badge:has-text('live 1 s')");
  // each sample is drawn before the next one is sent, so each comes in a second of its own
  let sent = 1000;
  for (let i = 0; i < 20 && await seconds.count() === 0; ++i) {
    sent += 1000;
    const words = /now [^,]+/.exec(await page.getAttribute(".panel-body", "aria-label"))?.[0] ?? "";
    await server.feed([`live.level ${sent}`]);
    await page.waitForFunction((/** @type {string} */ old) => !document.querySelector(".panel-body")?.getAttribute("aria-label")?.includes(old), words);
  }
  assert.equal(await seconds.count(), 1);
  assert.equal(asks(), before);
});

browserTest("live: a tab that is hidden for 30 s has no stream; when it is seen again, what it missed is there", async () => {
  const server = await startServer();
  if (!await streams(server)) return;
  const now = Math.floor(Date.now() / 10_000) * 10;
  const slots = (/** @type {number} */ from, /** @type {number} */ until) => Array.from({ length: (until - from) / 10 }, (_, i) => `live.level ${now + from + i * 10} 125`);
  await server.feed(slots(-600, -300));
  const { page, go, requests } = await openPage(server);
  await page.addInitScript(() => {
    localStorage.setItem("statmill.prefs", JSON.stringify({ every: 60 }));
    // the tab is hidden when the test says so, and its 30 s pass in a moment
    const later = window.setTimeout;
    Object.assign(window, { isHidden: false, setTimeout: (/** @type {any} */ run, /** @type {number} */ ms, /** @type {any[]} */ ...more) => later(run, ms === 30_000 ? 50 : ms, ...more) });
    const steady = performance.now.bind(performance);
    performance.now = () => steady() + /** @type {any} */ (window).passed;
    Object.assign(window, { passed: 0 });
    Object.defineProperty(document, "hidden", { get: () => /** @type {any} */ (window).isHidden });
  });
  /** Seven minutes pass for the page: what it has is old then. */
  const pass = () => page.evaluate(() => { /** @type {any} */ (window).passed += 420_000; });
  const hide = (/** @type {boolean} */ isHidden) => page.evaluate((/** @type {boolean} */ value) => {
    Object.assign(window, { isHidden: value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  const live = (/** @type {any} */ request) => request.url().endsWith("/api/v1/live") && request.postData().includes("live.level");
  const streaming = page.waitForRequest(live);
  await go("#/explore?p0=live.level&p0.v=table&live=1&from=-9m");
  await page.waitForSelector(".panel-cell td:has-text('125')");
  const stream = await streaming;
  const filled = () => page.locator(".panel-table tbody tr").filter({ hasText: "125" }).count();
  const first = await filled();
  const ended = page.waitForEvent("requestfailed", (/** @type {any} */ one) => one === stream);
  await hide(true);
  await ended;
  const asks = requests.filter((one) => one.endsWith("/api/v1/live")).length;
  await server.feed(slots(-300, 10));
  assert.equal(requests.filter((one) => one.endsWith("/api/v1/live")).length, asks);
  const again = page.waitForRequest(live);
  await pass();
  await hide(false);
  await again;
  await page.waitForFunction((/** @type {number} */ least) => [...document.querySelectorAll(".panel-table tbody tr")].filter((row) => row.textContent?.includes("125")).length >= least, first + 30);
  // the same after live was off
  await page.keyboard.press(".");
  await page.waitForSelector(".live[aria-pressed=false]");
  await server.feed([`live.level ${now - 200} 765`]);
  await pass();
  await page.keyboard.press(".");
  await page.waitForSelector(".panel-cell td:has-text('445')");
});

browserTest("five windows: four have a stream, the fifth asks instead, and takes over when one closes", async () => {
  const server = await startServer();
  if (!await streams(server)) return;
  await server.feed(["live.level 125"]);
  const first = await openPage(server);
  const context = first.page.context();
  const pages = [];
  for (let i = 0; i < 5; ++i) {
    const page = await context.newPage();
    const opened = i < 4 ? page.waitForRequest((/** @type {any} */ request) => request.url().endsWith("/api/v1/live")) : null;
    await page.goto(`${server.url}#/explore?p0=live.level&live=1&from=-5m`);
    await opened;
    pages.push(page);
  }
  await pages[4].waitForSelector(".live:has-text('each')");
  const takes = pages[4].waitForRequest((/** @type {any} */ request) => request.url().endsWith("/api/v1/live"));
  await pages[0].close({ runBeforeUnload: false });
  await takes;
});

browserTest("a live page from a folder loads itself anew when a file changes, with all that it shows", async () => {
  const folder = mkdtempSync(join(tmpdir(), "statmill-page-"));
  cpSync(pageFolder(), folder, { recursive: true });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startServer({ page: folder });
  const { page, go } = await openPage(server);
  await go("#/explore?p0=statmill.series&from=-5m&live=1");
  await page.waitForSelector(".panel-plot canvas");
  await page.waitForSelector(".is-live");
  const index = join(folder, "index.html");
  // the stream may not be open yet: what changes before it is no news, so the page is changed until it comes anew
  const text = readFileSync(index, "utf8");
  let edits = 0;
  const timer = setInterval(() => writeFileSync(index, text.replace("<body>", `<body data-edit="${++edits}">`)), 2500);
  await page.waitForSelector("body[data-edit]");
  clearInterval(timer);
  await page.waitForSelector(".panel-plot canvas");
  assert.match(page.url(), /p0=statmill\.series&from=-5m&live=1/);
});

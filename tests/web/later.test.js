// Links that are opened a week later, in another browser: the demo's clock stands still, and then it is a week later.

import assert from "node:assert/strict";
import { browserTest, freePort, openPage, startServer } from "./browser.js";

const kNow = 1_795_000_000;
const kWeek = 7 * 86400;
/** A series of the demo that does not grow with the years before its start. */
const kSeries = "g:host.agent.rss_bytes;*host=db1.example.org*";

/** @param {string} http @param {number} now */
function startDemoAt(http, now) {
  // the finest slots are kept for longer than a week
  return startServer({ http, options: ["--demo", "--demo.now", String(now), "--retention", "10s:30d,5m:90d,1h:3y"] });
}

/** @param {any} server */
async function openStill(server) {
  const opened = await openPage(server);
  await opened.page.addInitScript(() => { performance.now = () => 1000; });
  return opened;
}

/** The rows of the table: times and numbers. @param {any} page @param {number} count */
async function rowsOf(page, count) {
  await page.waitForFunction((/** @type {number} */ rows) => document.querySelectorAll(".panel-table tbody tr").length === rows, count);
  return page.locator(".panel-table tbody tr").evaluateAll((/** @type {Element[]} */ rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.getAttribute("title") ?? cell.textContent).join(" ")));
}

browserTest("a link with fixed times shows the same slots a week later, in another browser; a moving one shows the present", async () => {
  const http = `127.0.0.1:${await freePort()}`;
  const before = await startDemoAt(http, kNow);
  const first = await openStill(before);
  await first.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await first.go(`#/explore?p0=${kSeries}&p0.v=table&from=-1h`);
  await first.page.waitForSelector(".panel-table");
  const links = [];
  for (const key of ["y", "Y"]) {
    await first.page.keyboard.press(key);
    await first.page.waitForSelector(".toast");
    links.push(await first.page.evaluate(() => navigator.clipboard.readText()));
    await first.page.waitForSelector(".toast", { state: "detached" });
  }
  const [moving, fixed] = links;
  assert.match(fixed, new RegExp(`from=${kNow - 3600}&until=${kNow}`));
  await first.page.goto(fixed);
  const slots = await rowsOf(first.page, 360);
  await first.close();
  await before.stop();

  const after = await startDemoAt(http, kNow + kWeek);
  const second = await openStill(after);
  await second.page.goto(fixed);
  assert.deepEqual(await rowsOf(second.page, 360), slots);
  await second.page.goto(moving);
  const time = (/** @type {number} */ at) => new Date(at * 1000).toISOString().replace("T", " ").slice(0, 19);
  await second.page.waitForSelector(`.panel-table tbody tr:first-child th:has-text("${time(kNow + kWeek - 3600)}")`);
  assert.ok((await second.page.locator(".panel-table tbody tr").last().textContent()).startsWith(time(kNow + kWeek)));
});

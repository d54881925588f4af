// Dashboards of other programs, as files that the page reads.

import assert from "node:assert/strict";
import { browserTest, openPage, startServer } from "./browser.js";

/** As istatd's page saves a dashboard: names of events have a star, each graph has a format. */
const kIstatd = { size: { width: 600, height: 240 }, autoRefresh: true, timeInterval: 21600, timeSlider: 4, sizeDropdown: 1,
  graphs: [["web.requests", "*web.logins"], ["host.web1.cpu"], []], formats: [4, 2, 1] };

/** As Graphite's dashboard saves one. */
const kGraphite = { state: { name: "shop", timeConfig: { type: "relative", relativeStartQuantity: "2", relativeStartUnits: "Hours", relativeUntilUnits: "now" },
  graphSize: { width: 400, height: 250 }, refreshConfig: { interval: 60000, enabled: false }, defaultGraphParams: { from: "-2hours", until: "now" },
  graphs: [
    ["target=web.requests", { target: ["web.requests", "web.*.load"], title: "load", yMin: "0", yMax: "10" }, "/render?target=web.requests"],
    ["target=sumSeries", { target: ["alias(sumSeries(web.*.load), 'all of it')"] }, "/render?target=sum"],
    ["target=x", { target: ["holtWintersForecast(web.requests)", "f("], title: "<img/src=x/onerror=alert(1)>" }, "/render?target=x"],
  ] } };

/** Chooses a file in the page's own dialog. @param {any} page @param {string} name @param {unknown} content */
async function importFile(page, name, content) {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("button:has-text('Import')")]);
  await chooser.setFiles({ name, mimeType: "application/json", buffer: Buffer.from(typeof content === "string" ? content : JSON.stringify(content)) });
}

/** Saves what is imported. @param {any} page */
async function save(page) {
  await page.click(".edit-bar button:has-text('Save')");
  await page.waitForSelector(".badge:has-text('unsaved')", { state: "detached" });
}

browserTest("dashboards of istatd and of Graphite import with their panels and ranges; what could not is listed", async () => {
  const server = await startServer();
  // a young server has a short range of its own
  await server.feed([`$c host.up;host=old.example.org ${Math.floor(Date.now() / 1000) - 3600} 1`]);
  await server.feed(["web.requests 3", "*web.logins 1", "host.web1.cpu 40", "web.a.load 2", "web.b.load 3"]);
  const { page, go, dialogs, messages } = await openPage(server);
  const ask = (/** @type {string} */ id) => server.json(`/api/v1/dashboards/${id}`);

  await go("#/dashboards");
  await importFile(page, "front.json", kIstatd);
  await page.waitForSelector("dialog[open]:has-text('Imported, but not all of it')");
  assert.deepEqual(await page.locator("dialog li").allTextContents(), ["graph 3: it has no series"]);
  await page.click("dialog button:has-text('Go on')");
  await page.waitForFunction(() => location.hash.startsWith("#/d/front") && location.hash.includes("from=-6h"));
  await page.waitForFunction(() => document.querySelectorAll(".panel-cell canvas").length === 2);
  await page.waitForSelector(".panel-cell:nth-child(1):has-text('logins')");
  await save(page);
  const front = await ask("front");
  assert.deepEqual(front.time, { from: "-6h" });
  assert.deepEqual(front.panels.map((/** @type {any} */ one) => [one.series, one.view ?? one.band]), [[["web.requests", "web.logins"], "stack"], [["host.web1.cpu"], "sd"]]);

  await go("#/dashboards");
  await importFile(page, "shop.json", kGraphite);
  await page.waitForSelector("dialog[open]:has-text('Imported, but not all of it')");
  assert.deepEqual(await page.locator("dialog li").allTextContents(), [
    "graph 3 (<img/src=x/onerror=alert(1)>): holtWintersForecast of holtWintersForecast(web.requests)", "graph 3 (<img/src=x/onerror=alert(1)>): its syntax of f(",
  ]);
  await page.click("dialog button:has-text('Go on')");
  await page.waitForFunction(() => location.hash.startsWith("#/d/shop") && location.hash.includes("from=-2h"));
  await page.waitForFunction(() => document.querySelectorAll(".panel-cell canvas").length === 2);
  await save(page);
  const shop = await ask("shop");
  assert.deepEqual(shop.panels.map((/** @type {any} */ one) => [one.title, one.series ?? one.expr]),
    [["load", ["web.requests", "g:web.*.load"]], ["all of it", "sum({__graphite__=\"web.*.load\"})"]]);
  assert.deepEqual(dialogs, []);
  assert.deepEqual(messages.filter((one) => !/api\/v1\/(events|dashboards)/.test(one)), []);
});

browserTest("a file that is no dashboard says so, and nothing is created", async () => {
  const server = await startServer();
  const { page, go } = await openPage(server);
  await go("#/dashboards");
  await page.waitForSelector(".dashboard-card");
  for (const [name, content] of /** @type {[string, unknown][]} */ ([["cut.json", "{\"graphs\":["], ["other.json", { format: 1, title: "other", panels: [{ at: [0, 0, 99, 2] }] }]])) {
    await importFile(page, name, content);
    await page.waitForSelector(".toast:has-text('This file is no dashboard')");
    await page.waitForSelector(".toast", { state: "detached" });
    assert.match(page.url(), /#\/dashboards/);
  }
  const { dashboards } = await server.json("/api/v1/dashboards");
  assert.deepEqual(dashboards.filter((/** @type {any} */ one) => one.source === "saved"), []);
});

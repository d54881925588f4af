// A slow way to the server: 400 ms, 50 KB/s. What is asked is asked once, the page acts meanwhile, and what nobody waits for
// any more ends at the server.

import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, pressSequence, startServer } from "./browser.js";

/** @param {any} page */
async function slowDown(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 50 * 1024, uploadThroughput: 50 * 1024 });
}

/** What is asked for a second time. @param {any} page */
function watchDoubles(page) {
  /** @type {Set<string>} */
  const seen = new Set();
  /** @type {string[]} */
  const doubles = [];
  page.on("request", (/** @type {any} */ request) => {
    const key = `${request.method()} ${request.url()} ${request.postData() ?? ""}`;
    if (request.url().endsWith(".svg")) return;  // the browser's own business
    if (seen.has(key)) doubles.push(key);
    seen.add(key);
  });
  return { doubles, forget: () => seen.clear() };
}

browserTest("on a slow way each screen asks each thing once, and a bar shows that it waits", async () => {
  const server = await startServer();
  await feedFleet(server, 20);
  const { page, go } = await openPage(server);
  // nothing is asked again because of the time
  await page.addInitScript(() => { window.setInterval = /** @type {any} */ (() => 0); });
  await slowDown(page);
  const { doubles, forget } = watchDoubles(page);
  await go("#/host/db3.example.org?o=disk");
  await page.waitForFunction(() => getComputedStyle(/** @type {Element} */ (document.querySelector("#progress"))).opacity === "1");
  await page.waitForSelector(".panel-plot canvas");
  for (const screen of ["#/hosts", "#/explore?p0=g:host.cpu.busy_percent;*", "#/dashboards"]) {
    await page.waitForLoadState("networkidle");
    assert.deepEqual(doubles, []);
    forget();
    await page.evaluate((/** @type {string} */ hash) => { location.hash = hash; }, screen);
    await page.waitForFunction(() => document.querySelector("#progress")?.classList.contains("on"));
    await page.waitForFunction(() => !document.querySelector("#progress")?.classList.contains("on"));
  }
  await page.waitForLoadState("networkidle");
  assert.deepEqual(doubles, []);
});

browserTest("while a query waits, keys and zoom act; a query that nobody waits for any more ends at the server", async () => {
  const server = await startServer({ options: ["--query.threads", "1", "--query.heavy", "1000000000", "--query.waiting_time", "10m", "--query.timeout", "10m", "--query.evaluations", "1000000000000",
    "--query.memory", "1G", "--query.memory_total", "2G"] });
  const now = Math.floor(Date.now() / 10_000) * 10;
  await server.feed(Array.from({ length: 60 }, (_, slot) => Array.from({ length: 100 }, (__, i) => `level;n=${i} ${now - slot * 10} ${i}`)).flat());
  /** Ids of the queries of the page that run, or wait for the one thread. */
  const running = async () => (await server.json("/api/v1/status/queries")).running
    .filter((/** @type {any} */ one) => one.query.startsWith("POST")).map((/** @type {any} */ one) => one.id);
  const { page, go, requests } = await openPage(server);
  /** Asks the server until it is so. @param {() => Promise<boolean>} isSo */
  const until = async (isSo) => {
    while (!await isSo()) await page.evaluate(() => new Promise((done) => { requestAnimationFrame(done); }));
  };
  const asks = () => requests.filter((one) => one.endsWith("/api/v1/query")).length;
  await go("#/explore?p0=level;n%3D1&p1=level;n%3D2&from=-10m");
  await page.waitForFunction(() => document.querySelectorAll(".panel-plot canvas").length === 2);
  await page.waitForLoadState("networkidle");
  const drawn = asks();
  await slowDown(page);
  const { doubles } = watchDoubles(page);

  // computes for minutes, so what comes after it waits
  const blocker = new AbortController();
  let isBlocked = true;
  const nest = (/** @type {number} */ depth) => depth === 0 ? "level" : `quantile_over_time(0.5, ${nest(depth - 1)}[12h:1s])`;
  const blocked = fetch(`${server.url}api/v1/query?${new URLSearchParams({ expr: nest(60), from: "-1d" })}`, { signal: blocker.signal }).catch(() => undefined).then(() => { isBlocked = false; });
  await until(async () => (await server.json("/api/v1/status/queries")).running.length === 1);
  try {
    await page.keyboard.press("r");
    await until(async () => (await running()).length === 1);
    const [first] = await running();
    await page.waitForFunction(() => getComputedStyle(/** @type {Element} */ (document.querySelector("#progress"))).opacity === "1");
    assert.equal(asks(), drawn + 1);

    await page.focus(".panel-cell:nth-child(1) .panel-body");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.querySelectorAll(".cross-line").length === 2);
    await page.waitForFunction(() => !document.querySelector(".panel-readout")?.textContent?.includes("whole range"));
    assert.ok(isBlocked, "the thread is held until the test lets it go");
    assert.deepEqual(await running(), [first]);

    await page.keyboard.press("+");
    await page.waitForFunction(() => /from=\d+&until=\d+/.test(location.hash));
    await until(async () => { const ids = await running(); return ids.length === 1 && ids[0] !== first; });
    assert.equal(asks(), drawn + 2);
    assert.equal(await page.locator(".panel-plot canvas").count(), 2);
    // the frame asks for the server's state and losses from time to time
    assert.deepEqual(doubles.filter((one) => !/api\/v1\/(status|hosts) |agent_lines_lost/.test(one)), []);

    await pressSequence(page, "g", "d");
    await page.waitForSelector(".dashboard-card");
    await until(async () => (await running()).length === 0);
    assert.ok(isBlocked);
  } finally {
    blocker.abort();
    await blocked;
  }
});

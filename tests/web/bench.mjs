// Measures the page in a real browser, and prints what it finds; nothing passes or fails.
// Usage: node tests/web/bench.mjs [PART...]; the parts are paint, panel, pan, refresh and search, by default all.
// Needs what the browser tests need. Times are medians; those of scripts are CPU time of the page's thread, so other work on the
// machine does not add to them.

import { endAll, feedFleet, openPage, startServer, whyNot } from "./processes.js";

const kDay = 86_400;
const kPanels = 12;
const kLines = 20;
const kPans = 30;
const kRuns = 3;
const kRefreshes = 200;
const kNames = 1_000_000;
const kLinesOfRequest = 50_000;

const median = (/** @type {number[]} */ values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const ms = (/** @type {number} */ value) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
/** @param {string} what @param {string} found */
const say = (what, found) => process.stdout.write(`${what.padEnd(46)} ${found}\n`);

/** @param {Awaited<ReturnType<typeof startServer>>} server @param {string[]} lines */
async function feed(server, lines) {
  for (let i = 0; i < lines.length; i += kLinesOfRequest) await server.feed(lines.slice(i, i + kLinesOfRequest));
}

/** `count` waves of the last `length` seconds. @param {string} name @param {number} count @param {number} length @param {number} apart */
function waves(name, count, length, apart) {
  const now = Math.floor(Date.now() / 1000);
  const lines = [];
  for (let i = 0; i < count; ++i) {
    for (let at = now - length; at < now; at += apart) lines.push(`${name}.n${i} ${at} ${(50 + i + 30 * Math.sin(at / 900 + i) + at % 7).toFixed(2)}`);
  }
  return lines;
}

/** Seconds of CPU that the page's thread has used so far, by cause. @param {any} cdp */
async function spent(cdp) {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map((/** @type {any} */ one) => [one.name, one.value]));
}

/** @param {any} page */
async function counterOf(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
  await cdp.send("Performance.enable");
  return cdp;
}

/** Panels out of view have no canvas, and load when they come into view. @param {any} page @param {number} count */
const drawn = (page, count) => page.waitForFunction((/** @type {number} */ least) => document.querySelectorAll(".panel-plot canvas").length >= least && !document.querySelector(".panel.loading canvas"), count);

async function measurePaint() {
  const server = await startServer();
  await feedFleet(server, 5);
  const paints = [];
  for (let run = 0; run < kRuns; ++run) {
    const { page, go, close } = await openPage(server);
    await go("");
    await page.waitForSelector(".hosts-rows .row");
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
    await close();
  }
  say("first paint of Hosts", `${ms(median(paints))} (${kRuns} runs)`);
}

async function measurePanel() {
  const server = await startServer();
  await feed(server, waves("day", 10, kDay, 30));
  const times = [];
  for (let run = 0; run < kRuns; ++run) {
    const { page, go, close } = await openPage(server);
    // the last stroke on a canvas, against the end of the answer that it draws
    await page.addInitScript(() => {
      const stroke = CanvasRenderingContext2D.prototype.stroke;
      CanvasRenderingContext2D.prototype.stroke = function (/** @type {any[]} */ ...given) {
        /** @type {any} */ (stroke).apply(this, given);
        if (/** @type {any} */ (window).firstDrawn === undefined) /** @type {any} */ (window).firstDrawn = performance.now();
      };
    });
    await go(`#/explore?p0=g:day.*&from=-24h&c=1`);
    await drawn(page, 1);
    times.push(await page.evaluate(() => {
      const [answer] = performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/api/v1/query"));
      return /** @type {any} */ (window).firstDrawn - /** @type {PerformanceResourceTiming} */ (answer).responseEnd;
    }));
    await close();
  }
  say("10 series x 24 h, from the answer to drawn", `${ms(median(times))} (${kRuns} runs)`);
}

async function measurePan() {
  const server = await startServer();
  await feed(server, waves("pan", kLines, 2 * 3600, 10));
  const { page, go, close } = await openPage(server, { width: 1920, height: 1400 });
  const panels = Array.from({ length: kPanels }, (_, i) => `p${i}=g:pan.*`).join("&");
  await go(`#/explore?${panels}&c=3&from=-1h`);
  await drawn(page, kPanels);
  await page.waitForLoadState("networkidle");
  const points = await page.evaluate(() => [.../** @type {any} */ (document.querySelectorAll(".panel-plot canvas"))].filter((one) => one.getBoundingClientRect().top < innerHeight).length);
  const cdp = await counterOf(page);
  const box = await page.locator(".panel-plot").first().boundingBox();
  const frames = [];
  const costs = [];
  const parts = [];
  for (let run = 0; run < kRuns; ++run) {
    await page.mouse.move(box.x + 100, box.y + 60);
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(box.x + 110, box.y + 60);
    const before = await spent(cdp);
    await page.evaluate(() => {
      const found = /** @type {any} */ (window);
      found.frames = [];
      const tick = (/** @type {number} */ at) => { found.frames.push(at); found.next = requestAnimationFrame(tick); };
      found.next = requestAnimationFrame(tick);
    });
    for (let i = 0; i < kPans; ++i) await page.mouse.move(box.x + 110 + i, box.y + 60);
    const at = await page.evaluate(() => { cancelAnimationFrame(/** @type {any} */ (window).next); return /** @type {any} */ (window).frames; });
    const after = await spent(cdp);
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.waitForLoadState("networkidle");
    await drawn(page, kPanels);
    const count = Math.min(at.length, kPans);
    for (let i = 1; i < at.length; ++i) frames.push(at[i] - at[i - 1]);
    costs.push((after.TaskDuration - before.TaskDuration) * 1000 / count);
    parts.push(["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"].map((name) => (after[name] - before[name]) * 1000 / count));
  }
  frames.sort((a, b) => a - b);
  say(`pan, ${kPanels} panels (${points} in view) x ${kLines} lines`, `${ms(median(costs))} of CPU a frame: ${["script", "layout", "style"].map((name, i) => `${name} ${ms(median(parts.map((one) => one[i])))}`).join(", ")}`);
  say("  from frame to frame", `median ${ms(median(frames))}, 99 % ${ms(frames[Math.floor(frames.length * 0.99)])}`);
  await close();
}

async function measureRefresh() {
  const server = await startServer();
  await feed(server, waves("many", 100, 900, 10));
  const { page, go, requests, close } = await openPage(server);
  const panels = Array.from({ length: 100 }, (_, i) => `p${i}=many.n${i}`).join("&");
  await go(`#/explore?${panels}&c=3&from=-15m`);
  await drawn(page, 6);
  await page.waitForLoadState("networkidle");
  const cdp = await counterOf(page);
  const heap = async () => {
    await cdp.send("HeapProfiler.collectGarbage");
    return (await spent(cdp)).JSHeapUsedSize / 2 ** 20;
  };
  const asks = () => requests.filter((one) => one === `POST ${server.url}api/v1/query`).length;
  const refresh = async () => {
    const answer = page.waitForResponse((/** @type {any} */ one) => one.url().endsWith("/api/v1/query") && one.request().method() === "POST");
    await page.keyboard.press("r");
    await answer;
    // a panel that still waits for an answer is not asked again
    await page.waitForFunction(() => !document.querySelector("#progress.on"));
  };
  for (let i = 0; i < 10; ++i) await refresh();
  const first = await heap();
  const before = await spent(cdp);
  const asked = asks();
  for (let i = 0; i < kRefreshes; ++i) await refresh();
  const after = await spent(cdp);
  say(`100 panels, ${kRefreshes} refreshes`, `${((asks() - asked) / kRefreshes).toFixed(2)} requests and ${ms((after.TaskDuration - before.TaskDuration) * 1000 / kRefreshes)} of CPU each, `
    + `${await page.evaluate(() => document.querySelectorAll("canvas").length)} canvases`);
  say("  heap", `${first.toFixed(1)} MiB before, ${(await heap()).toFixed(1)} MiB after`);
  await close();
}

async function measureSearch() {
  const server = await startServer({ options: ["--limits.series", String(2 * kNames)] });
  const now = Math.floor(Date.now() / 1000);
  await feed(server, Array.from({ length: kNames }, (_, i) => `program${i % 97}.part${i % 1009}.orders${i} ${now} 1`));
  const { page, go, close } = await openPage(server);
  await go("#/explore");
  await page.waitForSelector(".search-row input");
  await page.focus(".search-row input");
  const times = [];
  for (const letter of "orders part1008 program7") {
    const answer = page.waitForResponse((/** @type {any} */ one) => one.url().includes("/api/v1/search?"));
    await page.keyboard.type(letter);
    const { server: _, ...found } = await (await answer).json();
    times.push(found.ms);
    await (await answer).finished();
  }
  say(`search, a key at ${kNames} names`, `median ${ms(median(times))}, longest ${ms(Math.max(...times))} on the server`);
  await close();
}

/** @type {Record<string, () => Promise<void>>} */
const kParts = { paint: measurePaint, panel: measurePanel, pan: measurePan, refresh: measureRefresh, search: measureSearch };

const why = whyNot();
if (why !== "") process.stdout.write(`skipped: ${why}\n`);
else {
  const chosen = process.argv.slice(2);
  try {
    for (const [name, measure] of Object.entries(kParts)) if (chosen.length === 0 || chosen.includes(name)) await measure();
  } finally {
    await endAll();
  }
}

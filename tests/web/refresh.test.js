import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { browserTest, openPage, startServer } from "./browser.js";

/** The bodies of queries that a page sends. @param {any} page */
function bodiesOf(page) {
  /** @type {any[]} */
  const bodies = [];
  page.on("request", (/** @type {any} */ request) => {
    if (request.method() === "POST" && request.url().endsWith("/api/v1/query")) bodies.push(request.postDataJSON());
  });
  return bodies;
}

/** What a panel draws, as its menu saves it. @param {any} page @param {number} nth */
async function savedJson(page, nth) {
  await page.locator(".panel-tools [aria-haspopup=menu]").nth(nth).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("[role=menuitem]:has-text('Save as JSON')")]);
  return JSON.parse(readFileSync(await download.path(), "utf8"));
}

browserTest("a refresh asks for the end of the range alone, and the picture is that of all of it", async () => {
  const server = await startServer();
  const now = Math.floor(Date.now() / 1000);
  const from = now - 3503;
  const until = now + 300;
  const lines = [];
  for (let at = from; at < now - 100; at += 7) lines.push(`gauge ${at} ${at % 97}`, `*hits ${at} ${at % 5}`, `%latency ${at} ${1e6 * (1 + at % 31)}`);
  await server.feed(lines);
  const { page, go } = await openPage(server);
  const bodies = bodiesOf(page);
  const drawn = (/** @type {number} */ count) => page.waitForFunction((/** @type {number} */ most) => document.querySelectorAll(".panel-plot canvas").length === most && !document.querySelector(".panel.loading"), count);
  await go(`#/explore?p0=gauge&p1=hits&p2=latency&p2.v=heatmap&c=1&from=${from}&until=${until}`);
  await drawn(3);
  await page.waitForLoadState("networkidle");
  const refreshed = async () => {
    let isAnswered = false;
    const answer = page.waitForResponse((/** @type {any} */ one) => one.url().endsWith("/api/v1/query")).then(() => { isAnswered = true; });
    // a panel that is being asked for is not refreshed, so a press may do nothing
    while (!isAnswered) {
      await page.keyboard.press("r");
      await Promise.race([answer, new Promise((done) => setTimeout(done, 500))]);
    }
    await answer;
  };
  // rows of the heatmap are known now, so this asks for it anew
  await refreshed();
  await page.waitForLoadState("networkidle");
  const first = bodies.flatMap((body) => body.queries).filter((query) => !query.id.includes("|"));
  assert.ok(first.every((query) => query.step === undefined));
  for (let round = 0; round < 3; ++round) {
    const at = Math.floor(Date.now() / 1000) - 12;  // late, but not by more than two slots
    await server.feed([`gauge ${at} ${200 + round}`, `*hits ${at} 3`, `%latency ${at} ${(5 + round) * 1e6}`]);
    bodies.length = 0;
    await refreshed();
    await page.waitForLoadState("networkidle");
    await drawn(3);
    const queries = bodies.flatMap((body) => body.queries);
    const tails = queries.filter((query) => query.id.endsWith("|tail"));
    assert.deepEqual(tails.map((query) => query.id), ["p0|tail", "p1|tail", "p2|tail"]);
    for (const tail of tails) assert.ok(Date.now() / 1000 - tail.from < 60 + 4 * tail.step, `a tail from ${tail.from} by ${tail.step} s`);
    assert.ok(queries.every((query) => query.id.includes("|") || query.max_points === 1), JSON.stringify(queries.map((query) => query.id)));
    for (const [nth, name] of ["gauge", "hits", "latency"].entries()) {
      const asked = /** @type {any} */ (first.filter((query) => query.id === `p${nth}`).at(-1));
      const { id: _id, kind, series, stats, max_points, grouping } = asked;
      const query = new URLSearchParams({ series: series[0], from: String(from), until: String(until), max_points: String(max_points), stats: stats.join() });
      if (grouping !== undefined) query.set("grouping", String(grouping));
      const whole = await server.json(`/api/v1/${kind === "heatmap" ? "heatmap" : "query"}?${query}`);
      const shown = await savedJson(page, nth);
      // what is still open may get more between the two answers
      const over = (/** @type {any} */ value, /** @type {string} */ key) => Array.isArray(value) && key !== "buckets" && key !== "labels" ? value.slice(0, Math.floor((at - whole.from) / whole.step)) : value;
      const kept = (/** @type {any} */ columns) => Object.fromEntries(Object.entries(columns ?? {}).filter(([key, column]) => Array.isArray(column) || key === "name").map(([key, column]) => [key, over(column, key)]));
      for (const key of ["from", "step", "tier", "buckets"]) assert.deepEqual(shown[key], whole[key], `${key} of ${name} in round ${round}`);
      for (const key of ["count", "sum", "p99"]) assert.deepEqual(over(shown[key], key), over(whole[key], key), `${key} of ${name} in round ${round}`);
      if (whole.counts) assert.deepEqual(shown.counts.map((/** @type {any} */ row) => over(row, "")), whole.counts.map((/** @type {any} */ row) => over(row, "")), `cells of ${name} in round ${round}`);
      else assert.deepEqual(shown.series.map(kept), whole.series.map(kept), `series of ${name} in round ${round}`);
    }
  }
});

browserTest("going back and forward between ranges draws them without a query", async () => {
  const server = await startServer();
  const now = Math.floor(Date.now() / 1000);
  const lines = [];
  for (let at = now - 50_000; at < now - 3600; at += 60) lines.push(`gauge ${at} ${at % 97}`, `%latency ${at} ${1e6 * (1 + at % 31)}`);
  await server.feed(lines);
  const { page, go } = await openPage(server);
  const bodies = bodiesOf(page);
  await go(`#/explore?p0=gauge&p1=latency&c=1&from=${now - 50_000}&until=${now - 3600}`);
  await page.waitForFunction(() => document.querySelectorAll(".panel-plot canvas").length === 2);
  await page.waitForLoadState("networkidle");
  const badge = () => page.locator(".panel-badge").first().textContent();
  const far = await badge();
  const box = await page.locator(".panel-plot").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 70, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((/** @type {string} */ other) => document.querySelector(".panel-badge")?.textContent !== other, far);
  await page.waitForLoadState("networkidle");
  const near = await badge();
  bodies.length = 0;
  for (let round = 0; round < 2; ++round) {
    await page.goBack();
    await page.waitForFunction((/** @type {string} */ text) => document.querySelector(".panel-badge")?.textContent === text, far);
    await page.goForward();
    await page.waitForFunction((/** @type {string} */ text) => document.querySelector(".panel-badge")?.textContent === text, near);
  }
  await page.waitForLoadState("networkidle");
  assert.deepEqual(bodies, []);
});

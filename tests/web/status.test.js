// Status: its numbers are those of the API, and a loss has one number wherever it is told.
import assert from "node:assert/strict";
import { age, count, text, time } from "../../web/src/model/format.js";
import { browserTest, openPage, startServer } from "./browser.js";

/**
 * Answers a path of the API with one answer for as long as the page is open, so that what is shown can be compared with it.
 * @param {any} page @param {{http: string, json: (path: string) => Promise<any>}} server @param {string} path
 * @param {(answer: any) => void} [change]
 */
async function freeze(page, server, path, change = () => undefined) {
  const answer = await server.json(path);
  change(answer);
  await page.route(`http://${server.http}${path}`, (/** @type {any} */ route) => route.fulfill({ json: answer }));
  return answer;
}

/** What an element shows, with usual blanks. @param {any} locator @returns {Promise<string>} */
const shown = async (locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();
/** @param {string} words */
const plain = (words) => words.replace(/\s+/g, " ");
/** Whether a text has another one, whatever their blanks. @param {string} all @param {string} part */
const has = (all, part) => all.replace(/\s/g, "").includes(part.replace(/\s/g, ""));
/** @param {number} value */
const size = (value) => plain(text(value, "bytes", { digits: 3 }));

browserTest("Overview and Storage show the numbers of /api/v1/status", async () => {
  const server = await startServer();
  await server.feed(Array.from({ length: 50 }, (_, i) => `shop.orders.${i} ${Math.floor(Date.now() / 1000) - 7200} ${i}`));
  await server.feed(["shop.wrong x", "shop.right 1"], true);
  const { page, go } = await openPage(server);
  const day = 86400;
  const status = await freeze(page, server, "/api/v1/status", (answer) => {
    answer.tiers.forEach((/** @type {any} */ tier, /** @type {number} */ i) => { tier.bytes = 1e9 + 123456789 * i; });
    answer.disk_bytes = answer.tiers.reduce((/** @type {number} */ sum, /** @type {any} */ tier) => sum + tier.bytes, 4096);
    answer.disk_forecast = { observed_s: day, bytes_per_day: 5e8, full_in_days: 20.4 };
    answer.disk_writes = { observed_s: day, samples: 1e6, bytes_per_sample: { log: 9, flush: 2, compaction: 5, all: 16 }, bytes_per_day: 3e9, rated_tb: 600, rated_years: 547.9 };
    answer.store = { ...answer.store, stall: "slowed", cache_hits: 75, cache_misses: 25, cache_hit_ratio: 0.75 };
  });
  await go("#/status?tz=UTC");
  const tile = (/** @type {string} */ title) => page.locator(`.tile:has(h2:text-is("${title}"))`);
  await page.waitForSelector(".tile");
  assert.ok((await shown(tile("Series"))).includes(plain(count(status.series))));
  const refused = Object.values(status.samples).flatMap((/** @type {any} */ one) => Object.values(one.refused)).reduce((sum, one) => sum + one, 0);
  assert.equal(refused, 1);
  assert.ok((await shown(tile("Refused"))).includes("1 since the start"));
  const disk = await shown(tile("On disk"));
  for (const part of [size(status.disk_bytes), `${size(status.disk_free_bytes)} free`, "full in 20 d"]) assert.ok(has(disk, part), disk);
  assert.ok(await tile("On disk").evaluate((/** @type {Element} */ one) => one.classList.contains("warn")));
  const http = page.locator("table.data tr:has(th:text-is('http'))");
  assert.ok((await shown(http)).includes(`${server.http} ${plain(count(status.samples.http.received))}`));
  assert.ok((await shown(page.locator("table.data tr:has(th:text-is('tcp'))"))).includes(server.lines));

  await page.click(".tabs a:text-is('Storage')");
  await page.waitForSelector(".tile:has-text('Will the disk be full?')");
  const full = await shown(tile("Will the disk be full?"));
  assert.ok(full.includes("in 20 d") && full.includes("the last 24 h") && full.includes(`${size(5e8)} a day`), full);
  const written = await shown(tile("Written per day"));
  for (const part of [size(3e9), `${text(16, "bytes", { digits: 2 })} a sample`, "a disk for 600 TB lasts 547.9 years"]) assert.ok(has(written, part), written);
  const health = await shown(page.locator("section:has(h2:text-is('Health of the store'))"));
  for (const part of ["writes are slowed: compactions lag", "75.0 % of 100 blocks were in the cache"]) assert.ok(has(health, part), health);
  const rows = page.locator("table.data tbody tr");
  assert.equal(await rows.count(), status.tiers.length + 1);
  assert.equal(await shown(rows.last()), `names, journal, log ${size(4096)}`);
  const byStep = [...status.tiers].sort((a, b) => a.step - b.step);
  for (const [i, tier] of byStep.entries()) {
    const oldest = tier.oldest_s === null ? "–" : time(tier.oldest_s, "UTC", { seconds: false });
    assert.equal(await shown(rows.nth(i)), plain(`${age(tier.step)} ${age(tier.retention_s)} ${oldest} ${size(tier.bytes)}`));
  }
  assert.ok(status.tiers[0].oldest_s <= Date.now() / 1000 - 7200, "the oldest sample is two hours old");
});

browserTest("a disk that does not fill, and one of which nothing is known, are told in words", async () => {
  const server = await startServer();
  const { page, go } = await openPage(server);
  for (const [forecast, big, words] of [
    [null, "–", "known an hour after the server's start"],
    [{ observed_s: 7200, bytes_per_day: 5e8, full_in_days: null }, "no", "at the growth of the last 2 h, retention ends the growth before"],
    [{ observed_s: 86400, bytes_per_day: -5, full_in_days: null }, "no", "the store did not grow in the last 24 h"],
    [{ observed_s: 86400, bytes_per_day: 5, full_in_days: 90000 }, "in over 10 y", "if the store grows"],
    [{ observed_s: 86400, bytes_per_day: 5e12, full_in_days: 0.2 }, "within a day", "if the store grows"],
  ]) {
    await page.unroute("**/api/v1/status");
    const answer = await server.json("/api/v1/status");
    await page.route("**/api/v1/status", (/** @type {any} */ route) => route.fulfill({ json: { ...answer, disk_forecast: forecast } }));
    await go("#/status/storage");
    await page.reload();
    const tile = page.locator(".tile:has(h2:text-is('Will the disk be full?'))");
    await tile.waitFor();
    const all = await shown(tile);
    assert.ok(all.includes(`${big} ${words}`), `${JSON.stringify(forecast)}: ${all}`);
  }
});

browserTest("a query stands among the slowest with its text, time, cost, status and client", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1"]);
  await server.json("/api/v1/query?series=shop.orders&from=-10m&stats=max");
  await server.json("/api/v1/query?series=shop.gone&from=-10m");
  const { page, go } = await openPage(server);
  const answer = await freeze(page, server, "/api/v1/status/queries", (queries) => {
    queries.running = [{ id: 7, query: "/api/v1/query?series=slow.*", client: "10.0.0.7:4", age_ms: 812, cost: queries.slowest[0].cost }];
  });
  assert.deepEqual(answer.slowest.map((/** @type {any} */ one) => one.status).sort(), [200, 404]);
  await go("#/status/queries");
  const rows = page.locator("table.data:has(caption:text-is('Slowest queries')) tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 2);
  for (const [i, one] of answer.slowest.entries()) {
    const row = await shown(rows.nth(i));
    for (const part of [plain(text(one.cost.ms, "ms", { digits: 3 })), one.query, String(one.status), one.client, `${one.cost.series} series`, `${one.cost.chunks} chunks`])
      assert.ok(row.includes(part), `${part} in ${row}`);
  }
  const running = await shown(page.locator("table.data:has(caption:text-is('Running queries')) tbody tr"));
  assert.ok(running.includes("/api/v1/query?series=slow.*") && running.includes("812 ms") && running.includes("10.0.0.7:4"), running);
});

browserTest("the rule of retention that holds for a name is told while it is typed", async () => {
  const server = await startServer({ options: ["--retention.rule", "debug.* 10s:1d,5m:7d"] });
  await server.feed(["debug.load 1"]);
  const { page, go } = await openPage(server);
  await go("#/status/storage");
  const told = page.locator(".retention-answer");
  await page.fill("input[name=retention]", "debug.load");
  await page.waitForFunction(() => document.querySelector(".retention-answer")?.textContent?.includes("A series (gauge) has this name"));
  assert.ok((await shown(told)).includes("The rule debug.* 10s:1d,5m:7d holds."));
  assert.ok((await shown(told)).includes("10 s for 1 d, 5 min for 7 d, 1 h for"));
  await page.fill("input[name=retention]", "<img/src=x>;b=1;a=2");
  await page.waitForFunction(() => document.querySelector(".retention-answer")?.textContent?.includes("<img/src=x>;a=2;b=1"));
  assert.ok((await shown(told)).includes("No rule matches: --retention holds."));
  assert.ok((await shown(told)).includes("No series has this name yet."));
  await page.fill("input[name=retention]", ";a=1");
  await page.waitForFunction(() => document.querySelector(".retention-answer .fault-note")?.textContent?.includes("parameter name"));
});

browserTest("the lines that cache2 lost are one number in the loss mark, the strip, the readout and Status", async () => {
  const server = await startServer({ options: ["--demo"] });
  const { page, go } = await openPage(server);
  const ask = async () => (await server.json("/api/v1/status/agents?host=cache2.example.org")).agents[0];
  let agent = await ask();
  while (agent.last_gaps.length === 0) agent = await ask();  // the agents of the demo connect after its start
  const [gap] = agent.last_gaps;
  assert.equal(agent.lines_lost, gap.lines);
  assert.ok(gap.lines > 0);
  await go(`#/explore?p0=g:host.cpu.busy_percent;*host=cache2.example.org*&from=${gap.to - 600}&until=${gap.to + 600}&tz=UTC`);
  const mark = page.locator(".panel-lane .mark.loss");
  await mark.waitFor();
  await page.waitForSelector(`.button.loss.warn[aria-label="${count(gap.lines)} losses"]`);
  const words = /** @type {string} */ (await mark.getAttribute("aria-label"));
  assert.ok(words.startsWith(time(gap.from || gap.to, "UTC")), words);  // before its first gap an agent has sent nothing
  assert.ok(words.includes(`${gap.lines} lines`) && words.includes("spool_full"), words);
  await mark.click();
  await page.waitForSelector("dialog[open]");  // what changed after the loss
  await page.keyboard.press("Escape");
  await page.locator(".panel-body").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".panel-readout .why")?.textContent?.includes("spool_full"));
  assert.ok((await shown(page.locator(".panel-readout .why"))).includes(`${gap.lines} lines`));

  await page.click(".button.loss");
  await page.waitForSelector("table.data:has-text('spool_full')");
  assert.ok((await shown(page.locator(".status-body"))).includes(`${plain(count(gap.lines))} lines lost by agents`));
  const row = await shown(page.locator("table.data tr:has-text('cache2')"));
  assert.ok(row.includes("spool_full") && row.endsWith(plain(count(gap.lines))), row);
});

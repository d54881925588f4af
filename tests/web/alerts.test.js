// Status, Alerts: what fires, the rules with their faults, and texts of strangers as text only.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answered, browserTest, openPage, startServer } from "./browser.js";

const kRules = `
groups:
- name: shop
  interval: 1s
  query_offset: 0
  rules:
  - record: orders:all
    expr: sum(max_over_time(orders[1h]))
  - alert: TooManyOrders
    expr: max by (path) (max_over_time(orders[1h])) > 5
    labels: {severity: page}
    annotations: {summary: "{{ $labels.path }} has {{ $value }}"}
  - alert: Waiting
    expr: orders:all > 5
    for: 1h
  - record: twice
    expr: label_replace(max_over_time(orders[1h]), "path", "", "", "")
`;

/** @param {any} page @returns {Promise<string[][]>} the cells of the rows of a table */
const rows = (page, /** @type {string} */ caption) => page.locator(`table.data:has(caption:text-is("${caption}")) tbody tr`).evaluateAll(
  (/** @type {HTMLElement[]} */ all) => all.map((row) => [...row.children].map((cell) => /** @type {HTMLElement} */ (cell).innerText.trim())));

browserTest("Alerts shows what fires, what waits, and which rules fail", async () => {
  const folder = mkdtempSync(join(tmpdir(), "statmill-rules-"));
  writeFileSync(join(folder, "shop.yml"), kRules);
  const server = await startServer({ options: ["--rules", folder] });
  await server.feed(["orders;path=/buy 7", "orders;path=<img/src=x/onerror=alert(1)> 9"]);
  await answered(async () => JSON.stringify(await server.json("/prometheus/api/v1/rules")).includes('"health":"err"'));
  const { page, go } = await openPage(server);
  page.on("dialog", () => assert.fail("a name ran as a script"));
  await go("#/status/alerts");
  await page.waitForSelector("table.data caption:text-is('Alerts')");
  const alerts = await rows(page, "Alerts");
  assert.equal(alerts.length, 3);
  assert.deepEqual(alerts.map((row) => row.slice(0, 2)), [["firing", "TooManyOrders"], ["firing", "TooManyOrders"], ["pending", "Waiting"]]);
  assert.ok(alerts.some((row) => row[2] === "<img/src=x/onerror=alert(1)> has 9" && row[3] === 'path="<img/src=x/onerror=alert(1)>", severity="page"'));
  assert.equal(await page.locator("img").count(), 0);
  const rules = await rows(page, "Rules");
  assert.equal(rules.length, 4);
  assert.deepEqual(rules[0].slice(1, 4), ["twice", "recording", "shop"]);  // the one that fails comes first
  assert.match(rules[0][4], /same labelset/);
  await page.click("table.data th a:text-is('Waiting')");
  await page.waitForFunction(() => location.hash.includes("p0.e=orders:all"));
  await go("#/status");
  const tile = page.locator('.tile:has(h2:text-is("Alerts"))');
  await tile.waitFor();
  assert.match((await tile.innerText()).replace(/\s+/g, " "), /2 firing, 1 pending · which · 1 rule fails/);
});

browserTest("without rules, Alerts says how to have some", async () => {
  const server = await startServer();
  const { page, go } = await openPage(server);
  await go("#/status/alerts");
  await page.waitForSelector("h2:text-is('There are no rules')");
  await go("#/status");
  await page.waitForSelector(".tile");
  assert.equal(await page.locator('.tile:has(h2:text-is("Alerts"))').count(), 0);
});

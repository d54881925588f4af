// What a server does not answer, or not in full: each panel says it, and the others are drawn.

import assert from "node:assert/strict";
import { browserTest, openPage, startServer } from "./browser.js";

/** Series of the last ten minutes. @param {string[]} names */
function linesOf(names) {
  const now = Math.floor(Date.now() / 10_000) * 10;
  return names.flatMap((name) => Array.from({ length: 60 }, (_, i) => `${name} ${now - i * 10} ${i}`));
}

const cell = (/** @type {number} */ nth) => `.panel-cell:nth-child(${nth})`;

browserTest("a query above a limit is refused in its panel, with the limit; a missing series is named; the others are drawn", async () => {
  const server = await startServer({ options: ["--query.series", "20"] });
  await server.feed(linesOf(Array.from({ length: 30 }, (_, i) => `many.n${i}`)));
  const { page, go, messages } = await openPage(server);
  await go("#/explore?p0=g:many.*&p1=many.n1&p1=many.gone&p2=many.n2&c=3&from=-10m");
  await page.waitForSelector(`${cell(2)} canvas`);
  await page.waitForSelector(`${cell(3)} canvas`);
  const refused = page.locator(`${cell(1)} .panel-state.bad`);
  await refused.waitFor();
  assert.match(await refused.textContent(), /20.*--query\.series/);
  assert.equal(await page.locator(`${cell(1)} canvas`).count(), 0);
  assert.match(await page.locator(`${cell(2)} .panel-badge:has-text('partly')`).getAttribute("title"), /many\.gone/);
  assert.equal(await page.locator(`${cell(3)} .panel-badge.warn`).count(), 0);
  // less of it is answered
  await page.evaluate(() => { location.hash = location.hash.replace("g:many.*", "g:many.n1*"); });
  await page.waitForSelector(`${cell(1)} canvas`);
  assert.equal(await refused.count(), 0);
  assert.deepEqual(messages.filter((one) => !/api\/v1\/(events|dashboards)/.test(one)), []);
});

browserTest("an answer that is cut at its limit is drawn as far as it came, and says partial with the reason", async () => {
  const server = await startServer();
  await server.feed(linesOf(["shop.orders", "shop.visits", "shop.carts"]));
  const { page, go } = await openPage(server);
  const kCut = "not reached: the batch took its whole time";
  let isCut = true;
  // as the server answers what it does not reach within the time of a batch: each line of what comes after the first two
  await page.route("**/api/v1/query", async (/** @type {any} */ route) => {
    const answer = await route.fetch();
    const lines = (await answer.text()).split("\n").filter(Boolean).map((/** @type {string} */ line) => JSON.parse(line));
    const cut = lines.map((/** @type {any} */ line) => isCut && /^p2$|~/.test(line.id ?? "") ? { id: line.id, status: 503, error: kCut } : line);
    await route.fulfill({ response: answer, body: cut.map((/** @type {any} */ line) => `${JSON.stringify(line)}\n`).join("") });
  });
  await go("#/explore?p0=shop.orders&p0.w=1d&p1=shop.visits&p2=shop.carts&c=3&from=-10m");
  await page.waitForSelector(`${cell(1)} canvas`);
  await page.waitForSelector(`${cell(2)} canvas`);
  const badge = page.locator(`${cell(1)} .panel-badge:has-text('partial')`);
  await badge.waitFor();
  assert.equal(await badge.getAttribute("title"), `the numbers of the whole range: ${kCut}\nthe range it is compared with: ${kCut}`);
  await page.waitForSelector(`${cell(3)} .panel-state.bad:has-text('${kCut}')`);
  isCut = false;
  await page.click(`${cell(3)} button:has-text('again')`);
  await page.waitForSelector(`${cell(3)} canvas`);
  assert.equal(await badge.count(), 1);
  await page.keyboard.press("r");
  await badge.waitFor({ state: "detached" });
});

browserTest("a connection that ends within an answer leaves what came, and the rest says so, not that there is nothing", async () => {
  const server = await startServer();
  await server.feed(linesOf(["shop.orders", "shop.visits"]));
  const { page, go } = await openPage(server);
  /** The lines that come through, and whether the end of the answer does. @type {{lines: number, isDown: boolean}} */
  const way = { lines: 1, isDown: false };
  await page.route("**/api/v1/query", async (/** @type {any} */ route) => {
    if (way.isDown) return route.abort("connectionreset");
    const answer = await route.fetch();
    const lines = (await answer.text()).split("\n").filter(Boolean);
    return route.fulfill({ response: answer, body: `${lines.slice(0, way.lines).join("\n")}\n` });
  });
  await go("#/explore?p0=shop.orders&p1=shop.visits&from=-10m");
  await page.waitForSelector(`${cell(1)} canvas`);
  await page.waitForSelector(`${cell(2)} .panel-state.bad:has-text('did not reach this query')`);
  way.isDown = true;
  await page.reload();
  await page.waitForSelector(`${cell(2)} .panel-state.bad:has-text('does not answer')`);
  assert.equal(await page.locator(".panel-cell:has-text('no such series')").count(), 0);
});

// The page with a million names at the server: it never holds them, whatever is opened.

import assert from "node:assert/strict";
import { browserTest, openPage, startDemo } from "./browser.js";

const kNames = 1_000_000;
const kHeapMax = 150e6;  // bytes
const kRowsMax = 200;

browserTest("a million names: the first picture, the tree and the search come, and the page stays small", async () => {
  const { page, go } = await openPage(await startDemo(["--demo.names", String(kNames)]));
  const session = await page.context().newCDPSession(page);
  const rows = () => page.evaluate(() => Math.max(...[...document.querySelectorAll(".tree, #found, .hosts-rows, tbody")].map((list) => list.children.length)));
  /** @param {string} when */
  async function isSmall(when) {
    assert.ok(await rows() <= kRowsMax, `${when}: ${await rows()} rows`);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    assert.ok(usedSize < kHeapMax, `${when}: ${usedSize} bytes`);
  }
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await isSmall("hosts");

  await go("#/explore");
  const tree = page.locator("[role=tree]");
  const row = (/** @type {string} */ part) => tree.locator(".row").filter({ has: page.locator(`bdi.part:text-is("${part}")`) });
  await row("stock").click();
  await row("items").click();
  await row("items").locator(".count").waitFor();
  assert.equal(Number((await row("items").locator(".count").textContent()).replace(/\D/g, "")), kNames);
  await tree.locator(".row:has-text('sku=100000')").waitFor();
  await tree.focus();
  for (let pages = 2; pages <= 6; ++pages) {
    await page.keyboard.press("End");
    await tree.locator(".row:has-text('more…')").click();
    await page.waitForFunction((/** @type {number} */ lines) => Number(document.querySelector(".tree")?.clientHeight) / 26 > lines, pages * 200);
    await isSmall(`${pages} pages of the tree`);
  }

  for (const [text, found] of [["stock 504711", "sku=504711"], ["sku=10", "sku=100000"]]) {
    await page.fill(".search-row input", text);
    await page.locator("#found .result").first().filter({ hasText: found }).waitFor();
    await isSmall(`search of ${text}`);
  }
  await page.locator("#found .result").first().click();
  await page.waitForSelector(".panel-cell canvas");
  await isSmall("a panel");
  await go("#/status/names");
  await page.waitForSelector("tbody tr, .share-row");
  await isSmall("status");
});

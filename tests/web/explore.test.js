import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

browserTest("a few letters and Enter open a series from anywhere; Shift+Enter puts another one beside it", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server);
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await page.keyboard.press("/");
  await page.keyboard.type("web1 runq");
  await page.waitForSelector(".result:has-text('runqueue_wait_ns')");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/explore?p0=host.sched.runqueue_wait_ns;"));
  await page.waitForSelector(".panel-plot canvas");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("db3 busy_percent");
  await page.waitForSelector(".result[aria-selected=true]:has-text('busy_percent')");
  await page.keyboard.press("Shift+Enter");
  await page.waitForFunction(() => document.querySelectorAll(".panel-cell").length === 2);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".panel-cell:has(canvas)").length === 2);
});

browserTest("a text that only refused lines have is found with reason and sender", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1"]);
  await server.feed(["shop.parcels much"], true);
  const { page, go } = await openPage(server);
  await go("#/explore");
  await page.fill(".search-row input", "parcels");
  await page.waitForSelector(".explore-side .result.warn");
  assert.match(await page.locator(".explore-side .result.warn").textContent(), /1 refused\s+line has\s+this text:\s+bad_value, from http/);
  await page.click(".explore-side .result.warn");
  await page.waitForSelector("table.data:has-text('shop.parcels much')");
});

browserTest("each key's answer replaces the older one, also when they come in the wrong order", async () => {
  const server = await startServer();
  await server.feed(["alpha.one 1", "alpine.two 1"]);
  const { page, go } = await openPage(server);
  await go("#/explore");
  /** @type {(() => Promise<void>)[]} */
  const held = [];
  await page.route("**/api/v1/search?*", async (/** @type {any} */ route) => {
    if (route.request().url().includes("q=alp&")) held.push(() => route.continue().catch(() => undefined));
    else await route.continue();
  });
  await page.fill(".search-row input", "alp");
  await page.waitForRequest((/** @type {any} */ request) => request.url().includes("q=alp&")).catch(() => undefined);
  await page.fill(".search-row input", "alpine");
  await page.waitForSelector("#found .result:has-text('alpine.two')");
  for (const release of held) await release();
  await page.waitForLoadState("networkidle");
  assert.match(await page.locator("#found .result").first().textContent(), /alpine\.two/);
  assert.equal(await page.locator("#found .result:has-text('alpha.one')").count(), 0);
});

browserTest("the tree opens by mouse and by arrows; its counts add up, and at most 200 rows are elements", async () => {
  const server = await startServer();
  await server.feed(Array.from({ length: 1000 }, (_, i) => `many.n${String(i).padStart(4, "0")} 1`));
  await server.feed(["tagged.a;x=1 1", "tagged.a;x=2 1", "leaf 1", "leaf.below 2"]);
  const { page, go } = await openPage(server);
  await go("#/explore");
  const tree = page.locator("[role=tree]");
  await tree.locator(".row:has-text('tagged')").click();
  await tree.locator(".row:has-text('a')").filter({ hasText: /^\s*a\s*2\s*$/ }).click();
  await tree.locator(".row:has-text('x=2')").click();
  await page.waitForFunction(() => location.hash.includes("p0=tagged.a;x%3D2"));
  assert.match(await tree.locator(".row:has-text('many')").textContent(), /1\s?000/);
  await tree.focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 5; ++i) {
    if ((await tree.locator(".row.here").textContent()).includes("many")) break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("ArrowRight");
  await tree.locator(".row:has-text('n0000')").waitFor();
  await page.keyboard.press("End");
  assert.ok(await page.locator("[role=tree] .row").count() <= 200);
});

browserTest("'as on host' shows the same panels of another host, or adds them, and Undo takes it back", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server);
  await go("#/explore?p0=g:host.cpu.busy_percent;*host=db1.example.org*&p1=g:host.block.latency_ns;*host=db1.example.org*&p1.v=heatmap");
  await page.waitForSelector(".panel-plot canvas");
  const before = page.url();
  await page.click("button:has-text('As on host')");
  await page.waitForFunction(() => document.querySelectorAll("#as-host option").length === 8);
  await page.fill("dialog input", "web2.example.org");
  await page.waitForSelector("dialog [role=status]:has-text('2 of 2 names change')");
  await page.click("dialog button:has-text('Show instead')");
  await page.waitForFunction(() => location.hash.includes("web2") && !location.hash.includes("db1"));
  assert.match(page.url(), /p1\.v=heatmap/);
  await page.keyboard.press("Control+z");
  await page.waitForFunction((/** @type {string} */ url) => location.href === url, before);
  await page.click("button:has-text('As on host')");
  await page.fill("dialog input", "web2.example.org");
  await page.click("dialog button:has-text('Add next to these')");
  await page.waitForFunction(() => document.querySelectorAll(".panel-cell").length === 4);
});

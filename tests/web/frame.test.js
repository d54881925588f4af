import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserTest, feedFleet, freePort, kWait, openPage, pressSequence, startServer } from "./browser.js";

browserTest("an empty server shows what to send; the first sample turns the page into Explore with it", async () => {
  const server = await startServer();
  const { page, go } = await openPage(server);
  await go("");
  await page.waitForSelector(".welcome");
  assert.ok((await page.locator(".welcome code").first().textContent()).includes("/dev/udp/"));
  await page.waitForResponse((/** @type {any} */ answer) => answer.url().includes("/api/v1/tree"));
  await server.feed(["shop.orders 3"]);
  await page.waitForFunction(() => location.hash.startsWith("#/explore?p0=shop.orders"));
  await page.waitForSelector(".panel-cell:has-text('shop.orders')");
});

browserTest("a drag over a panel zooms all of the screen, Back returns, and a refresh undoes neither", async () => {
  const server = await startServer();
  await feedFleet(server);
  const { page, go } = await openPage(server);
  await go("#/explore?p0=g:host.cpu.busy_percent;*&p1=g:host.memory.available_bytes;*&from=-10m");
  await page.waitForFunction(() => document.querySelectorAll(".panel-plot canvas").length >= 2);
  const box = await page.locator(".panel-plot").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 70, { steps: 6 });
  await page.mouse.up();
  await page.waitForFunction(() => /from=\d+&until=\d+/.test(location.hash));
  const zoomed = page.url();
  await page.keyboard.press("r");
  await page.waitForLoadState("networkidle");
  assert.equal(page.url(), zoomed);
  await page.goBack();
  await page.waitForFunction(() => location.hash.includes("from=-10m"));
  await page.goForward();
  await page.waitForFunction((url) => location.href === url, zoomed);
});

browserTest("keys go to all screens, open the range as text and the help; letters can be switched off", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server);
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  for (const [key, screen] of [["e", "explore"], ["d", "dashboards"], ["s", "status"], ["h", "hosts"]]) {
    await pressSequence(page, "g", key);
    await page.waitForFunction((name) => location.hash.startsWith(`#/${name}`), screen);
  }
  await page.keyboard.press("t");
  await page.waitForSelector(".picker input[name=text]:focus");
  await page.keyboard.type("30m");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("from=-30m"));
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.uncheck("dialog input[type=checkbox] >> nth=0");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.keyboard.press("t");
  assert.equal(await page.locator(".picker").count(), 0);
});

browserTest("the server goes away: a banner says so and the picture stays; it returns: the banner goes by itself", async () => {
  const store = mkdtempSync(join(tmpdir(), "statmill-away-"));
  try {
    const http = `127.0.0.1:${await freePort()}`;
    const first = await startServer({ store, http });
    await feedFleet(first, 2);
    const { page, go } = await openPage(first);
    await go("#/hosts?live=1");
    await page.waitForSelector(".hosts-rows .row");
    await first.stop();
    await page.waitForSelector("#banner:has-text('does not answer')");
    assert.equal(await page.locator(".hosts-rows .row").count(), 9);
    const again = await startServer({ store, http });
    await page.waitForFunction(() => document.querySelector("#banner")?.textContent === "", undefined, { timeout: 40_000 });
    assert.equal(await page.locator(".hosts-rows .row").count(), 9);
    await again.stop();
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
});

browserTest("the loss mark counts what was refused in the range that is shown, not before it, and leads to Loss", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1"]);
  await server.feed(["shop.parcels much", "shop.parcels more", "shop.parcels most"], true);
  const refused = async () => {
    const answer = await server.json("/api/v1/query?series=statmill.samples_refused;*&stats=sum&max_points=1&from=-5m");
    return answer.series.reduce((/** @type {number} */ all, /** @type {any} */ one) => all + one.sum[0], 0);
  };
  const until = Date.now() + kWait;
  while (await refused() < 3 && Date.now() < until) await new Promise((done) => setTimeout(done, 200));
  const { page, go } = await openPage(server);
  const now = Math.floor(Date.now() / 1000);
  await go(`#/explore?p0=shop.orders&from=${now - 7200}&until=${now - 3600}`);
  await page.waitForSelector(".loss.ok:has-text('nothing lost')");
  await page.evaluate(() => { location.hash = "#/explore?p0=shop.orders&from=-5m"; });
  await page.waitForSelector(".loss.warn:has-text('3 losses')");
  await page.click(".loss");
  await page.waitForFunction(() => location.hash.startsWith("#/status/loss"));
  await page.waitForSelector(".status-body p:has-text('3 samples refused')");
  await page.evaluate((/** @type {number} */ time) => { location.hash = `#/status/loss?from=${time - 7200}&until=${time - 3600}`; }, now);
  await page.waitForSelector(".status-body p:has-text('0 samples refused')");
});

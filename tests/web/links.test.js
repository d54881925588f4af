import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

browserTest("Y copies a link with fixed times, y one that moves with the time", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await go("#/explore?p0=g:host.cpu.busy_percent;*&from=-5m&live=1");
  await page.waitForSelector(".panel-plot canvas");
  await page.keyboard.press("y");
  await page.waitForSelector(".toast");
  const moving = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(moving, /from=-5m/);
  await page.waitForSelector(".toast", { state: "detached" });
  await page.keyboard.press("Y");
  await page.waitForSelector(".toast");
  const fixed = await page.evaluate(() => navigator.clipboard.readText());
  const times = /from=(\d+)&until=(\d+)/.exec(fixed);
  assert.ok(times, fixed);
  assert.equal(Number(times[2]) - Number(times[1]), 300);
  assert.doesNotMatch(fixed, /live/);
});

browserTest("a browser whose clock is two hours ahead shows the server's time, and says so once", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server);
  await page.addInitScript(() => {
    const real = Date.now;
    Date.now = () => real() + 7_200_000;
  });
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await page.waitForSelector("#banner:has-text('2 h ahead of')");
  assert.equal(await page.locator(".hosts-rows .away").count(), 0);
  const now = Math.floor(Date.now() / 1000);
  await page.keyboard.press("t");
  await page.keyboard.type("now-20m/now-10m");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("until=-10m"));
  const shown = await page.locator(".range").textContent();
  const minute = new Date((now - 1200) * 1000).toISOString().slice(11, 15);
  assert.ok(shown.includes(minute), `${shown} has ${minute}`);
});

browserTest("theme and zone stay in this browser, and the theme of the system is the default", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server, { dark: true });
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.keyboard.press("m");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  assert.notEqual(await ground(), dark);
  await page.reload();
  await page.waitForSelector(".hosts-rows .row");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
});

import assert from "node:assert/strict";
import { browserTest, openPage, startServer } from "./browser.js";

const kPanels = 100;

/** @param {number} count @param {number} minutes */
function manyLines(count, minutes) {
  const now = Math.floor(Date.now() / 10_000) * 10;
  const lines = [];
  for (let time = now - minutes * 60; time <= now; time += 10) {
    for (let i = 0; i < count; ++i) lines.push(`many.n${String(i).padStart(4, "0")} ${time} ${i + time % 7}`);
  }
  return lines;
}

browserTest("100 panels: one request for those in view, at most 24 canvases, and no plot left behind by other screens", async () => {
  const server = await startServer();
  await server.feed(manyLines(kPanels, 3));
  const { page, go, requests, messages } = await openPage(server);
  const asks = () => requests.filter((one) => one === `POST ${server.url}api/v1/query`).length;
  const canvases = () => page.evaluate(() => document.querySelectorAll("canvas").length);
  const panels = Array.from({ length: kPanels }, (_, i) => `p${i}=many.n${String(i).padStart(4, "0")}`).join("&");
  await go(`#/explore?${panels}&c=3&from=-5m`);
  await page.waitForFunction(() => document.querySelectorAll(".panel-plot canvas").length >= 6);
  await page.waitForLoadState("networkidle");
  const before = asks();
  await page.keyboard.press("r");
  await page.waitForLoadState("networkidle");
  // what legends and gaps need comes with a second one
  assert.ok(asks() - before <= 2, `${asks() - before} requests for a refresh`);
  for (let y = 0; y < 12; ++y) {
    await page.mouse.wheel(0, 900);
    await page.waitForLoadState("networkidle");
    assert.ok(await canvases() <= 24, `${await canvases()} canvases`);
  }
  for (let i = 0; i < 5; ++i) {
    await page.evaluate(() => { location.hash = "#/dashboards"; });
    await page.waitForSelector(".dashboard-card");
    assert.equal(await canvases(), 0);
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll(".panel-plot canvas").length > 0);
  }
  assert.deepEqual(messages.filter((one) => !/api\/v1\/(events|dashboards)/.test(one)), []);
});

browserTest("a query that cannot be answered leaves the other panels alone, and says why", async () => {
  const server = await startServer();
  await server.feed(manyLines(2, 3));
  const { page, go } = await openPage(server);
  await go("#/explore?p0.e=sum(&p1=many.n0000&from=-5m");
  await page.waitForFunction(() => document.querySelectorAll(".panel-cell").length === 2);
  await page.waitForSelector(".panel-cell:nth-child(2) canvas");
  await page.waitForSelector(".panel-cell:nth-child(1):has-text('parse error')");
});

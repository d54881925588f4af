// A server all of whose threads are busy is asked again.

import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

browserTest("panels wait for a server that is busy, and are drawn once it answers", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server);
  let asked = 0;
  await page.route("**/api/v1/query", (/** @type {any} */ route) => ++asked <= 2
    ? route.fulfill({ status: 503, contentType: "application/json", body: JSON.stringify({ error: "too many queries wait for a thread: try again", status: 503 }) })
    : route.continue());
  await go("#/explore?p0=g:host.cpu.busy_percent;*");
  await page.waitForSelector(".panel canvas");
  assert.ok(asked > 2);
  assert.equal(await page.locator(".panel [role=alert]").count(), 0);
});

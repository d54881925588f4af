import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

browserTest("Hosts lists the fleet, the worst on top, and its cell opens the host at that resource", async () => {
  const server = await startServer();
  await feedFleet(server);
  const { page, go, messages, requests } = await openPage(server);
  await go("");
  await page.waitForSelector(".hosts-rows .row.bad .disk-s.bad");
  assert.equal(await page.locator(".hosts-rows .row").count(), 9);
  const top = page.locator(".hosts-rows .row").first();
  assert.match(await top.textContent(), /db3/);
  await top.locator(".disk-s").click();
  await page.waitForFunction(() => location.hash.startsWith("#/host/db3.example.org"));
  assert.match(page.url(), /o=disk/);
  await page.waitForSelector(".panel-plot canvas");
  assert.deepEqual(requests.filter((one) => !one.includes(server.url)), []);
  assert.deepEqual(messages.filter((one) => !one.includes("/api/v1/events")), []);
});

browserTest("filter, group, sort and map are in the address, and a reload shows the same", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const { page, go } = await openPage(server);
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await page.fill(".hosts-filter input", "role=db");
  await page.waitForFunction(() => document.querySelectorAll(".hosts-rows .row").length === 3);
  await page.click(".hosts-head button:has-text('host')");
  await page.waitForFunction(() => location.hash.includes("f=role%3Ddb") && location.hash.includes("s=name"));
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".hosts-rows .row").length === 3);
  const names = await page.locator(".hosts-rows a.host .name").allTextContents();
  assert.deepEqual(names.sort(), ["db1.example.org", "db2.example.org", "db3.example.org"]);
  await page.click("[aria-label=Map]");
  await page.waitForSelector(".square");
  await page.waitForFunction(() => location.hash.includes("m=map"));
});

browserTest("a host that sends nothing is away, and says since when", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const before = Math.floor(Date.now() / 10_000) * 10 - 600;
  await server.feed([`$c host.up;host=gone.example.org ${before} 1`, `host.cpu.busy_percent;host=gone.example.org ${before} 5`]);
  const { page, go } = await openPage(server);
  await go("#/hosts?f=gone");
  const text = await page.locator(".hosts-rows .away").textContent();
  assert.match(text, /away for 1\d\smin/);
  assert.match(await page.locator(".chip.bad").textContent(), /1 away/);
});

browserTest("a screen of many panels asks at most three times until it is drawn, then once for each refresh", async () => {
  const server = await startServer();
  await feedFleet(server);
  const { page, go, requests } = await openPage(server);
  const asks = () => requests.filter((one) => one === `POST ${server.url}api/v1/query`).length;
  await go("#/explore?p0=g:host.cpu.busy_percent;*&p1=g:host.memory.available_bytes;*&p2=g:host.block.busy_ns;*&p3=g:host.block.latency_ns;*&c=2");
  await page.waitForFunction(() => document.querySelectorAll(".panel-plot canvas").length >= 4);
  await page.waitForLoadState("networkidle");
  assert.ok(asks() <= 3, `${asks()} requests`);
  const drawn = asks();
  await page.keyboard.press("r");
  await page.waitForLoadState("networkidle");
  assert.ok(asks() - drawn <= 2, `${asks() - drawn} requests for a refresh`);
});

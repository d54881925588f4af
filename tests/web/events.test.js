// Events under the time axis: drawn as they come, compared with the time before by a click or a key, and shown as text.

import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

/** @param {{http: string}} server @param {object} event */
async function mark(server, event) {
  const answer = await fetch(`http://${server.http}/api/v1/events`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(event) });
  assert.equal(answer.status, 201, await answer.text());
}

/** A gauge that moves from 10 to 90, and one that does not, by 10 s around `middle`. @param {string} host @param {number} middle */
function movedLines(host, middle) {
  const lines = [];
  for (let time = middle - 600; time < middle + 600; time += 10) {
    const is = time < middle ? 10 : 90;
    lines.push(`host.load.running;host=${host} ${time} ${is + time % 7}`, `host.load.total;host=${host} ${time} ${200 + time % 5}`, `$c host.up;host=${host} ${time} 1`);
  }
  return lines;
}

browserTest("an event that somebody marks stands under the panels at once, without a reload or a refresh", async () => {
  const server = await startServer();
  const now = Math.floor(Date.now() / 1000);
  await server.feed([`live.level ${now - 60} 125`, `live.level ${now - 5} 126`]);
  const { page, go, requests } = await openPage(server);
  await page.addInitScript(() => localStorage.setItem("statmill.prefs", JSON.stringify({ every: 60 })));
  const streaming = page.waitForRequest((/** @type {any} */ request) => request.url().endsWith("/api/v1/live") && request.postData().includes("live.level"));
  await go("#/explore?p0=live.level&live=1&from=-5m");
  await page.waitForSelector(".panel-plot canvas");
  await streaming;
  await page.waitForSelector(".live.is-live");
  const asks = () => requests.filter((one) => one.endsWith("/api/v1/query")).length;
  const before = asks();
  await mark(server, { title: "deploy 1.4.2", tags: ["deploy"] });
  await page.waitForSelector(".panel-lane .mark[title*='deploy 1.4.2']");
  assert.equal(asks(), before);
});

browserTest("one click on an event, or a key, compares its host after it with before", async () => {
  const server = await startServer();
  const middle = Math.floor(Date.now() / 10_000) * 10 - 1200;
  await server.feed([...movedLines("db3", middle), ...movedLines("web1", middle)]);
  await mark(server, { time: middle, title: "deploy 1.4.2", text: "by the release robot", where: "host=db3" });
  const { page, go, requests, messages } = await openPage(server);
  await go(`#/explore?p0=host.load.total;host=db3&from=${middle - 1200}&until=${middle + 1200}`);
  const asked = page.waitForRequest((/** @type {any} */ request) => request.url().includes("/api/v1/changes"));
  await page.click(".panel-lane .mark.event");
  const url = new URL((await asked).url());
  assert.equal(url.searchParams.get("match"), '{host="db3"}');
  assert.equal(url.searchParams.get("from"), String(middle));
  assert.equal(url.searchParams.get("until"), String(middle + 900));
  assert.equal(url.searchParams.get("against"), "before");
  await page.waitForSelector("dialog .event-words:has-text('by the release robot')");
  const first = page.locator("dialog tbody tr").first();
  await first.waitFor();
  assert.equal((await first.locator("th").textContent())?.trim(), "host.load.running;host=db3");
  const cells = await first.locator("td").allTextContents();
  assert.match(cells[0], /^1\d(\.\d+)?$/);
  assert.match(cells[1], /^9\d(\.\d+)?$/);
  assert.ok(!(await page.locator("dialog").textContent())?.includes("web1"));
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });

  // with keys: of the panel, and by way of the button
  await page.focus(".panel-body");
  await page.keyboard.press("X");
  await page.waitForSelector("dialog .event-words:has-text('deploy 1.4.2')");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.focus(".panel-lane .mark.event");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog .event-words:has-text('deploy 1.4.2')");
  assert.equal(requests.filter((one) => one.includes("/api/v1/changes")).length, 3);
  assert.deepEqual(messages, []);
});

browserTest("an event that names no host is compared over the group of the panel; another length is one press", async () => {
  const server = await startServer();
  const now = await feedFleet(server, 30);
  await mark(server, { time: now - 600, title: "config pushed" });
  const { page, go } = await openPage(server);
  await go("#/host/web1.example.org?from=-30m");
  const asked = page.waitForRequest((/** @type {any} */ request) => request.url().includes("/api/v1/changes"));
  await page.locator(".panel-lane .mark.event").first().click();
  assert.equal(new URL((await asked).url()).searchParams.get("match"), '{host="web1.example.org"}');
  const again = page.waitForRequest((/** @type {any} */ request) => request.url().includes("/api/v1/changes"));
  await page.locator("dialog .toolbar button").first().click();
  assert.match((await again).url(), /against=before/);
});

browserTest("characters of an event that nobody sees, or that turn text around, are written out", async () => {
  const server = await startServer();
  const now = Math.floor(Date.now() / 1000);
  await server.feed([`live.level ${now - 60} 125`]);
  await mark(server, { time: now - 100, title: "a\u202eb\u0007c<img src=x onerror=alert(1)>", text: "t\u2066u\u009b", tags: ["x\u200by"] });
  const { page, go, dialogs } = await openPage(server);
  await go(`#/explore?p0=live.level&from=${now - 300}&until=${now}`);
  const button = page.locator(".panel-lane .mark.event");
  const title = "a‹U+202E›b‹U+0007›c<img src=x onerror=alert(1)>";
  assert.ok((await button.getAttribute("title"))?.includes(title));
  assert.ok((await button.getAttribute("aria-label"))?.includes(title));
  await button.click();
  const words = await page.locator("dialog .event-words").textContent();
  for (const part of [title, "t‹U+2066›u‹U+009B›", "x‹U+200B›y"]) assert.ok(words?.includes(part), `${part} in ${words}`);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("img[src=x]").count(), 0);
  assert.deepEqual(dialogs, []);
  await page.evaluate(() => localStorage.clear());
  const board = { format: 1, title: "Board", panels: [{ at: [0, 0, 6, 2], kind: "events", title: "Events" }] };
  const saved = await fetch(`http://${server.http}/api/v1/dashboards/board`, { method: "PUT", headers: { "Content-Type": "application/json", "If-None-Match": "*" }, body: JSON.stringify(board) });
  assert.equal(saved.status, 201);
  await go(`#/d/board?from=${now - 300}&until=${now}`);
  await page.waitForSelector(`.event-list:has-text("${title.slice(0, 12)}")`);
});

// What the demo tells, seen in the page: one demo for all tests of this file.

import assert from "node:assert/strict";
import { step } from "../../web/src/model/format.js";
import { maxPoints } from "../../web/src/model/step.js";
import { answered, browserTest, openPage, startDemo } from "./browser.js";

/** @type {ReturnType<typeof startDemo>|undefined} */
let started;
const demo = () => started ??= startDemo();
const kBusy = "host.cpu.busy_percent;*host=db1.example.org*";
const kUnits = /** @type {Record<string, number>} */ ({ ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 });

/** A text as "1.24 ms" in seconds. @param {string} text */
function secondsOf(text) {
  const [, number, unit] = /^([\d.]+)\s(\S+)$/.exec(text.trim()) ?? [];
  return Number(number) * kUnits[unit];
}

/**
 * Cells with samples of one column of a heatmap, as the readout tells them when the pointer goes down.
 * @param {any} page @param {any} panel @param {number} share of the width, from the left
 */
async function cellsOf(page, panel, share) {
  const over = await panel.locator(".u-over").boundingBox();
  const cells = [];
  for (let y = over.y + 2; y < over.y + over.height; y += 4) {
    await page.mouse.move(over.x + over.width * share, y);
    const text = await panel.locator(".panel-readout").evaluate((/** @type {Element} */ readout) => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => done(readout.querySelector(".cell")?.textContent ?? "")));
    }));
    const [, low, high, count] = /cell\s+(.+?)–(.+?):\s+([\d\s]+)/.exec(text) ?? [];
    if (Number(count?.replace(/\s/g, "")) > 0) cells.push({ low: secondsOf(low), high: secondsOf(high) });
  }
  return cells;
}

browserTest("the worst host is on top of fifty; its cell opens the disk, whose heatmap has both modes", async () => {
  const { page, go, messages } = await openPage(await demo());
  await go("");
  await page.waitForSelector(".hosts-rows .row.bad .disk-s.bad");
  assert.match(await page.locator(".hosts-count").textContent(), /^50 hosts/);
  const top = page.locator(".hosts-rows .row").first();
  assert.match(await top.textContent(), /^\s*✕\s*db3\.example\.org/);
  assert.match(await top.locator(".disk-s").textContent(), /✕\s*\d+\s*ms/);
  await top.locator(".disk-s").click();
  await page.waitForFunction(() => location.hash.startsWith("#/host/db3.example.org?o=disk"));
  const panel = page.locator(".panel-cell:has(h3[title='S · latency of reads'])");
  await panel.locator("canvas").waitFor();
  assert.ok((await page.locator("[data-group=disk]").boundingBox()).y < 400, "the part of the disk is in view");
  await panel.scrollIntoViewIfNeeded();
  const cells = await cellsOf(page, panel, 0.9);
  const has = (/** @type {number} */ value) => cells.some(({ low, high }) => low <= value * 1.2 && high >= value / 1.2);
  assert.ok(has(0.001) && has(0.08) && !has(0.012), JSON.stringify(cells));
  assert.deepEqual(messages, []);
});

browserTest("lost lines are in the frame, on the time axis, in the readout of the gap, and in Status", async () => {
  const server = await demo();
  const event = await answered(async () => (await server.json("/api/v1/events?tags=gap")).events[0]);
  const { page, go } = await openPage(server);
  await go(`#/host/cache2.example.org?o=cpu&from=${event.time - 900}&until=${event.time + 900}&at=${event.time + 60}`);
  const panel = page.locator(".panel-cell:has(h3[title='U · busy'])");
  await panel.locator(".panel-readout .why").filter({ hasText: /cache2\.example\.org lost 2400 lines: spool_full, 2\smin/ }).waitFor();
  const over = await panel.locator(".u-over").boundingBox();
  const mark = await panel.locator(".panel-lane .mark.loss").boundingBox();
  assert.equal(await panel.locator(".panel-lane .mark.loss").textContent(), "▲");
  assert.ok(Math.abs(mark.x + mark.width / 2 - over.x - over.width / 2) <= 1.5, "the mark stands at its time");
  await page.waitForSelector(".frame-tools .loss:has-text('▲')");
  const digits = async (/** @type {string} */ selector) => Number((await page.locator(selector).first().textContent()).replace(/\D/g, ""));
  assert.equal(await digits(".frame-tools .loss .long"), 2400);
  await page.click(".frame-tools .loss");
  await page.waitForFunction(() => location.hash.startsWith("#/status/loss"));
  const row = page.locator("table.data tr:has-text('cache2')");
  assert.match(await row.textContent(), /spool_full/);
  assert.match((await row.textContent()).replace(/\s/g, ""), /2400/);
  assert.equal(await digits(".status-body p b.num"), 2400);
});

browserTest("the badge says how long a slot is, of how many samples, and from which tier it was read", async () => {
  const server = await demo();
  // so wide that 30 days have slots that are no multiple of the coarsest tier's
  const { page, go } = await openPage(server, { width: 1600 });
  for (const [from, tier, badge] of /** @type {[string, number, string][]} */ ([["-5m", 1, "1 s × 1"], ["-1h", 10, "10 s × 10"], ["-30d", 300, "tier 5 min"], ["-2y", 3600, "tier 1 h"]])) {
    await go(`#/explore?p0=g:${kBusy}&from=${from}`);
    const badges = await page.waitForFunction((/** @type {string} */ words) => {
      const all = [...document.querySelectorAll(".panel-badge")].map((one) => [one.textContent, one.title].map((text) => (text ?? "").replace(/\s+/g, " ").trim()));
      return all.flat().some((text) => text.startsWith(words)) ? all : null;
    }, badge);
    const [[text, title]] = await badges.jsonValue();
    const width = await page.locator(".panel-cell").first().evaluate((/** @type {Element} */ cell) => cell.clientWidth);
    const answer = await server.json(`/api/v1/query?${new URLSearchParams({ series: kBusy, from, until: "now", max_points: String(maxPoints(width - 60)), stats: "count" })}`);
    assert.equal(answer.tier, tier);
    assert.ok(text.startsWith(`${step(answer.step).replace(/\s+/g, " ")} × `), `${text}: ${answer.step} s`);
    assert.ok(title.replaceAll(" ", "").includes(`of${answer.step}samples`), `${title}: a host of the demo has a sample in each second`);
  }
});

browserTest("a link to some minutes of a host shows seconds, of names and of expressions", async () => {
  const { page, go } = await openPage(await demo());
  await go("#/host/db3.example.org?o=cpu&from=-2m");
  for (const title of ["U · busy", "U · time by mode"]) {
    const panel = page.locator(`.panel-cell:has(h3[title='${title}'])`);
    await panel.locator(".panel-badge").filter({ hasText: /^\s*1\s*s/ }).first().waitFor();
  }
});

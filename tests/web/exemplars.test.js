// Exemplars of a heatmap: a click on a cell, and the key i with a fixed crosshair, list them with the labels as they are.

import assert from "node:assert/strict";
import { browserTest, openPage, startServer } from "./browser.js";

const kEvil = "<img src=x onerror=alert(1)>";

/** A histogram of OpenTelemetry at a time, with exemplars. @param {number} time @param {{value: number, at: number, trace?: string, user?: string}[]} sent */
function metrics(time, sent) {
  const exemplars = sent.map((one) => ({
    timeUnixNano: `${one.at}250000000`, asDouble: one.value, traceId: one.trace ?? "", spanId: one.trace ? "00f067aa0ba902b7" : "",
    filteredAttributes: one.user ? [{ key: "user", value: { stringValue: one.user } }] : [],
  }));
  const point = { timeUnixNano: `${time}000000000`, count: "4", sum: 1 + 2 + 3 + 450, explicitBounds: [1, 2, 5, 448, 452], bucketCounts: ["1", "1", "1", "0", "1", "0"], exemplars };
  return { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "shop.latency_ms", unit: "ms", histogram: { aggregationTemporality: 1, dataPoints: [point] } }] }] }] };
}

/** @param {{http: string}} server @param {object} body */
async function send(server, body) {
  const answer = await fetch(`http://${server.http}/v1/metrics`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.text());
}

/** A server with 30 slots, the last but two of which has exemplars. */
async function withExemplars() {
  const server = await startServer();
  const now = Math.floor(Date.now() / 10_000) * 10 - 20;
  for (let slot = 29; slot >= 1; --slot) await send(server, metrics(now - 10 * slot, []));
  await send(server, metrics(now, [{ value: 450, at: now, trace: "4bf92f3577b34da6a3ce929d0e0e4736" }]));
  await send(server, metrics(now - 10, [{ value: 1.5, at: now - 10, trace: "00000000000000000000000000000abc", user: kEvil }]));
  return { server, now };
}

/**
 * Clicks the highest cell of a time that has samples. A cell that the pointer is on is in the readout.
 * @param {any} page @param {number} from @param {number} until @param {number} at
 */
async function clickCell(page, from, until, at) {
  const box = await page.locator(".panel-plot .u-over").boundingBox();
  const left = box.x + box.width * (at - from) / (until - from);
  for (let top = box.y + 2; top < box.y + box.height; top += 3) {
    await page.mouse.move(left, top);
    const cell = page.locator(".panel-readout .cell b");
    if (await cell.count() === 0 || await cell.innerText() === "0") continue;
    await page.mouse.click(left, top);
    return;
  }
  assert.fail("no cell with samples");
}

browserTest("a click on a cell lists its exemplars, with labels as text that can be copied", async () => {
  const { server, now } = await withExemplars();
  const [from, until] = [now - 290, now + 20];
  const { page, go, messages } = await openPage(server);
  await go(`#/explore?p0=shop.latency_ms&from=${from}&until=${until}`);
  await page.waitForSelector(".panel[data-view=heatmap] .panel-plot canvas");
  const shown = page.locator(".panel-exemplars");
  await clickCell(page, from, until, now + 5);
  await shown.locator("tbody tr").first().waitFor();
  const words = (await shown.innerText()).replaceAll(/\s+/g, " ");
  assert.match(words, /^Exemplars \d\d:\d\d:\d\d–\d\d:\d\d:\d\d /);
  assert.match(words, /450 ms \d\d:\d\d:\d\d\.250 trace_id 4bf92f3577b34da6a3ce929d0e0e4736 copy span_id 00f067aa0ba902b7/);
  await shown.getByRole("button", { name: "Copy trace_id" }).click();
  await page.waitForSelector(".toast:has-text('text')");

  // the slot before it has one of another cell, whose label is a text and nothing else
  await page.mouse.move(0, 0);
  await page.keyboard.press("Escape");
  await page.locator(".panel-body").press("Escape");
  await shown.waitFor({ state: "detached" });
  await clickCell(page, from, until, now - 5);
  await shown.locator("tbody tr").first().waitFor();
  assert.ok((await shown.innerText()).includes(kEvil));
  assert.equal(await shown.locator("img").count(), 0);
  assert.match((await shown.innerText()).replaceAll(/\s+/g, " "), /none in this cell; other values of this time/);

  // a slot without any says so
  await shown.getByRole("button", { name: "Close the exemplars" }).click();
  await shown.waitFor({ state: "detached" });
  await clickCell(page, from, until, now - 155);
  await page.waitForSelector(".panel-exemplars:has-text('No exemplars.')");
  assert.deepEqual(messages, []);
});

browserTest("i with a fixed crosshair lists those of the slot; what fails is said", async () => {
  const { server, now } = await withExemplars();
  const { page, go, messages } = await openPage(server);
  await go(`#/explore?p0=shop.latency_ms&from=${now - 290}&until=${now + 10}`);
  await page.waitForSelector(".panel[data-view=heatmap] .panel-plot canvas");
  await page.focus(".panel-body");
  await page.keyboard.press("End");
  await page.keyboard.press("i");
  await page.waitForSelector(".panel-exemplars:has-text('4bf92f3577b34da6a3ce929d0e0e4736')");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".panel-exemplars", { state: "detached" });
  await page.route("**/query_exemplars*", (/** @type {any} */ route) => route.fulfill({ status: 422, contentType: "application/json", body: '{"status":"error","error":"too much is asked"}' }));
  await page.keyboard.press("End");
  await page.keyboard.press("i");
  await page.waitForSelector(".panel-exemplars:has-text('too much is asked')");
  assert.deepEqual(messages.filter((/** @type {string} */ one) => !one.includes("422")), []);
});

browserTest("Escape closes the exemplars before the large panel, wherever the focus is", async () => {
  const { server, now } = await withExemplars();
  const { page, go, messages } = await openPage(server);
  await go(`#/explore?p0=shop.latency_ms&from=${now - 290}&until=${now + 10}`);
  await page.waitForSelector(".panel[data-view=heatmap] .panel-plot canvas");
  await page.focus(".panel-body");
  await page.keyboard.press("Enter");
  await page.waitForURL(/big=p0/);
  for (const isInside of [true, false]) {
    await page.focus(".panel-body");
    await page.keyboard.press("End");
    await page.keyboard.press("i");
    await page.waitForSelector(".panel-exemplars:has-text('4bf92f3577b34da6a3ce929d0e0e4736')");
    if (!isInside) await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    await page.keyboard.press("Escape");
    await page.waitForURL((/** @type {URL} */ url) => !url.hash.includes("at="));
    assert.equal(await page.locator(".panel-exemplars").count(), 1, "the fixed crosshair goes first");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".panel-exemplars", { state: "detached" });
    assert.match(page.url(), /big=p0/);
  }
  await page.keyboard.press("Escape");
  await page.waitForURL((/** @type {URL} */ url) => !url.hash.includes("big="));
  assert.deepEqual(messages, []);
});

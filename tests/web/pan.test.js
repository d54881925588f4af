import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

browserTest("a pan moves the picture of all panels, with its marks, and draws lines again only once it has ended", async () => {
  const server = await startServer();
  const now = await feedFleet(server, 10);
  const kept = await fetch(`${server.url}api/v1/events`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ title: "deploy", time: now - 300 }) });
  assert.equal(kept.status, 201);
  const { page, go } = await openPage(server);
  await page.addInitScript(() => {
    const counts = { lines: 0, pictures: 0 };
    Object.assign(window, { counts });
    // a pause of the pan would ask for its range, which a slow machine takes for one
    const set = window.setTimeout;
    Object.assign(window, { setTimeout: (/** @type {any} */ run, /** @type {number} */ ms) => set(run, ms === 120 ? 2 ** 30 : ms) });
    const { stroke, drawImage } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.stroke = function (/** @type {any[]} */ ...given) {
      if (given.length > 0) ++counts.lines;
      return /** @type {any} */ (stroke).apply(this, given);
    };
    CanvasRenderingContext2D.prototype.drawImage = function (/** @type {any[]} */ ...given) {
      ++counts.pictures;
      return /** @type {any} */ (drawImage).apply(this, given);
    };
  });
  await go(`#/explore?p0=g:host.cpu.busy_percent;*&p1=g:host.memory.available_bytes;*&from=${now - 600}&until=${now}`);
  await page.waitForSelector(".panel-cell:nth-child(2) .mark");
  await page.waitForLoadState("networkidle");
  const counts = () => page.evaluate(() => ({ .../** @type {any} */ (window).counts }));
  const mark = () => page.locator(".panel-lane .mark").first().evaluate((/** @type {HTMLElement} */ one) => parseFloat(one.style.left));
  const box = await page.locator(".panel-plot").first().boundingBox();
  const x = box.x + box.width / 2;
  await page.mouse.move(x, box.y + 60);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  // the first move makes the pictures
  await page.mouse.move(x + 10, box.y + 60);
  await page.waitForFunction(() => /** @type {any} */ (window).counts.pictures >= 2);
  const before = await counts();
  const left = await mark();
  await page.evaluate((/** @type {{x: number, y: number}} */ from) => {
    const body = /** @type {Element} */ (document.querySelector(".panel-body"));
    for (const step of [20, 35, 50]) {
      body.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: from.x + step, clientY: from.y, pointerId: 1, pointerType: "mouse", buttons: 1, shiftKey: true }));
    }
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
      Object.assign(window, { moved: { .../** @type {any} */ (window).counts } });
      done(undefined);
    })));
  }, { x, y: box.y + 60 });
  const moved = await page.evaluate(() => /** @type {any} */ (window).moved);
  assert.ok(Math.abs(await mark() - left - 40) <= 2, "the mark moves with the picture");
  assert.equal(moved.pictures - before.pictures, 2, "three moves of a frame are drawn once in each panel");
  assert.equal(moved.lines, before.lines);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForFunction((/** @type {number} */ most) => /** @type {any} */ (window).counts.lines > most, moved.lines);
  await page.waitForFunction((/** @type {number} */ from) => Number(new URLSearchParams(location.hash.split("?")[1]).get("from")) < from, now - 600);
});

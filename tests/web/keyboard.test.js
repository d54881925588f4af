// The page without a mouse: what people come for, from the load to the end, with the focus seen at each step and no trap.

import assert from "node:assert/strict";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

/** A fleet, a program, a refused line, and an event series that jumps with db3's disk. */
async function startFleet() {
  const server = await startServer();
  const now = await feedFleet(server, 30);
  const lines = [];
  for (let time = now - 1800; time <= now; time += 10) {
    // db3 turns slow ten minutes ago, and its queue grows with that
    lines.push(`$g host.load.one;host=db3.example.org ${time} ${time > now - 600 ? 40 : 2}`, `shop.orders ${time} ${time % 7}`);
  }
  await server.feed(lines);
  await server.feed(["shop.parcels much"], true);
  return server;
}

/**
 * Why the focus cannot be seen; empty if it can: it is on an element in view that nothing covers, with an outline of 2 px,
 * also that of a field around an input, or of the chosen row of a tree.
 * @param {any} page
 * @returns {Promise<string>}
 */
function unseen(page) {
  return page.evaluate(() => {
    const element = /** @type {HTMLElement|null} */ (document.activeElement);
    if (element === null || element === document.body) return "nothing has the focus";
    const name = `${element.tagName} ${element.className} ${(element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 40)}`;
    const box = element.getBoundingClientRect();
    const x = Math.max(1, Math.min(innerWidth - 2, box.left + box.width / 2));
    const y = Math.max(box.top, 0) + (Math.min(box.bottom, innerHeight) - Math.max(box.top, 0)) / 2;
    if (box.width === 0 || box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth) return `${name}: out of view`;
    const hit = document.elementFromPoint(x, y);
    // the words in place of a plot lie over it, and hide no outline
    const isFree = hit !== null && (element.contains(hit) || hit.contains(element) || (element.matches(".panel-body") && hit.closest(".panel-over") !== null));
    if (!isFree) return `${name}: covered by ${hit?.tagName} ${hit?.className}`;
    const marked = [element, element.closest(".field"), element.querySelector(".here")];
    const isMarked = marked.some((one) => {
      if (one === null) return false;
      const style = getComputedStyle(one);
      return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || (one.matches(".field") && style.boxShadow !== "none");
    });
    return isMarked ? "" : `${name}: no outline`;
  });
}

/** Presses keys, and sees the focus after each. @param {any} page @param {string[]} keys */
async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    assert.equal(await unseen(page), "", `after ${key}`);
  }
}

/** Goes on by Tab until an element that fits has the focus. @param {any} page @param {string} selector */
async function tabTo(page, selector) {
  for (let i = 0; i < 200; ++i) {
    await press(page, "Tab");
    if (await page.evaluate((/** @type {string} */ fits) => document.activeElement?.matches(fits), selector)) return;
  }
  assert.fail(`no ${selector} by Tab`);
}

browserTest("by keys: which host and resource is wrong, what happened and what else moved, with a link to it", async () => {
  const server = await startFleet();
  const { page, go } = await openPage(server);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await go("");
  await page.waitForSelector(".hosts-rows .row.bad .disk-s.bad");
  await press(page, "j");
  assert.match(await page.evaluate(() => document.activeElement?.textContent), /db3/);
  for (let i = 0; i < 20 && !await page.evaluate(() => document.activeElement?.matches(".disk-s")); ++i) await press(page, "ArrowRight");
  assert.match(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), /Disk.*ms, bad/);
  await press(page, "ArrowRight", "ArrowLeft");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/host/db3.example.org") && location.hash.includes("o=disk"));
  await page.waitForFunction(() => {
    const box = document.querySelector("[data-group=disk]")?.getBoundingClientRect();
    return box !== undefined && box.top < innerHeight && box.bottom > 0;
  });

  // a panel, a selection of what happened, and what else moved then
  await page.evaluate(() => { location.hash = "#/explore?from=-30m&p0=host.load.one;host%3Ddb3.example.org&p1=shop.orders"; });
  // the keys of a crosshair act once the panels have data, which is when they name their slots; those of the screen before may still be there
  await page.waitForFunction(() => {
    const bodies = [...document.querySelectorAll(".panel-body")];
    return bodies.length === 2 && bodies.every((one) => /^(host\.load\.one|shop\.orders)/.test(one.getAttribute("aria-label") ?? "")) &&
      [...document.querySelectorAll(".panel-badges")].filter((one) => /10\s?s/.test(one.textContent ?? "")).length === 2;
  });
  await press(page, "j", "End");
  await page.waitForSelector(".cross-line");
  await press(page, "[", ...Array(6).fill("Shift+ArrowLeft"));
  await page.waitForSelector(".cross-select");
  await press(page, "Enter");
  await page.waitForFunction(() => /from=\d+&until=\d+/.test(location.hash));
  await press(page, "x");
  await page.waitForSelector("dialog[open] tbody tr");
  assert.equal(await unseen(page), "");
  assert.ok(await page.evaluate(() => document.querySelector("dialog[open]")?.contains(document.activeElement)));
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  assert.equal(await unseen(page), "");
  assert.ok(await page.evaluate(() => document.activeElement?.matches(".panel-body")), "the focus is back at the panel");
  await press(page, "Y");
  await page.waitForSelector(".toast:has-text('fixed times')");
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /from=\d+&until=\d+/);
});

browserTest("by keys: does my counter arrive, how was the year, do I lose anything", async () => {
  const server = await startFleet();
  const { page, go } = await openPage(server);
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await press(page, "/");
  await page.keyboard.type("orders");
  await page.waitForSelector(".result[aria-selected=true]:has-text('shop.orders')");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/explore?p0=shop.orders"));
  await page.waitForSelector(".panel-plot canvas");

  await press(page, "/");
  await page.keyboard.type("parcels");
  await page.waitForSelector(".result:has-text('refused line has')");
  for (let i = 0; i < 20 && await page.locator(".result[aria-selected=true]:has-text('refused line has')").count() === 0; ++i) await press(page, "ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("table.data:has-text('shop.parcels much')");

  await page.goBack();
  await page.waitForSelector(".panel-plot canvas");
  await page.keyboard.press("t");
  await page.waitForSelector(".picker input[name=text]:focus");
  assert.equal(await unseen(page), "");
  await page.keyboard.type("1y");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("from=-1y"));
  await page.waitForFunction(() => /\d h|d/.test(document.querySelector(".panel-badges")?.textContent ?? ""));
  await press(page, "j", "w");
  await page.waitForFunction(() => location.hash.includes("p0.w=1d"));

  await page.evaluate(() => { location.hash = "#/hosts"; location.reload(); });
  await page.waitForSelector(".hosts-rows .row");
  await tabTo(page, ".loss");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/status"));
  await page.waitForSelector("#main :text('Lost by agents')");
});

browserTest("Tab goes through each screen and out of it, and the focus is seen at each stop", async () => {
  const server = await startFleet();
  const { page, go } = await openPage(server);
  for (const screen of ["#/hosts", "#/host/db3.example.org", "#/explore?n=host.&p0=shop.orders", "#/dashboards", "#/d/fleet", "#/status/refused"]) {
    await go("");
    await go(screen);
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    let stops = 0;
    for (;;) {
      await page.keyboard.press("Tab");
      const state = await page.evaluate(() => {
        const seen = /** @type {any} */ (window).seen ??= new Set();
        const element = document.activeElement;
        if (element === document.body || element === null) return seen.size > 0 ? "end" : "";
        if (seen.has(element)) return [...seen][0] === element ? "end" : `${element.outerHTML.slice(0, 100)} again`;
        seen.add(element);
        return "";
      });
      if (state === "end") break;
      assert.equal(state, "", screen);
      assert.equal(await unseen(page), "", `${screen}, stop ${stops}`);
      assert.ok(++stops < 400, `${screen}: no end after ${stops} stops`);
    }
    assert.ok(stops > 15, `${screen}: ${stops} stops`);
  }
});

browserTest("menus and dialogs open, close and give the focus back by keys; single letters can be switched off", async () => {
  const server = await startFleet();
  const { page, go } = await openPage(server);
  await go("#/explore?p0=shop.orders");
  await page.waitForSelector(".panel-plot canvas");
  await tabTo(page, ".live + button");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".menu .item:focus");
  await press(page, "ArrowDown", "ArrowUp", "End");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".menu", { state: "detached" });
  assert.ok(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") === "Interval of live"));

  // Enter presses the button, though it opens a panel elsewhere
  await tabTo(page, ".panel-tools [aria-haspopup=menu]");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".menu .item:focus");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".menu", { state: "detached" });

  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await tabTo(page, "dialog input[type=checkbox]");
  await page.keyboard.press("Space");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  const before = page.url();
  for (const key of ["t", "m", "e", "j", "?", "x", "g", "s"]) await page.keyboard.press(key);
  assert.equal(await page.locator("dialog, .picker").count(), 0);
  assert.equal(page.url(), before);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), undefined);
  // what is no single letter still acts
  await page.keyboard.press("Control+k");
  await page.waitForSelector("input[role=combobox]:focus");
  await page.keyboard.press("Escape");
  await page.focus(".panel-body");
  await press(page, "ArrowLeft");
  await page.waitForSelector(".cross-line");
});

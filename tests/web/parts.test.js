// The parts of the page that load after its start: panels.js with what draws, and later.js with further screens and dialogs.

import assert from "node:assert/strict";
import { answered, browserTest, feedFleet, freePort, openPage, pressSequence, startServer } from "./browser.js";

const kParts = "**/a/*/{panels,later}-*.js";
const isPart = (/** @type {string} */ request) => /\/(panels|later)-[^/]*\.js$/.test(request);

/** The page, whose parts come when the test says so. @param {any} server */
async function openHeld(server) {
  const opened = await openPage(server);
  /** @type {((value?: unknown) => void)} */
  let release = () => {};
  const released = new Promise((done) => { release = done; });
  await opened.page.route(kParts, async (/** @type {any} */ route) => {
    await released;
    await route.continue();
  });
  return { ...opened, release };
}

/** The page without its parts: asking for them fails until `allow`. @param {any} server */
async function openWithout(server) {
  const opened = await openPage(server);
  await opened.page.route(kParts, (/** @type {any} */ route) => route.abort());
  return { ...opened, allow: () => opened.page.unroute(kParts) };
}

browserTest("Hosts draws its picture before the other parts are asked for, and they come by themselves", async () => {
  const server = await startServer();
  await feedFleet(server, 1);
  const { page, go, requests } = await openPage(server);
  /** @type {string[]|null} */
  let before = null;
  await page.route("**/api/v1/table?*", async (/** @type {any} */ route) => {
    before ??= [...requests];
    await route.continue();
  });
  const parts = Promise.all(["panels", "later"].map((name) => page.waitForResponse((/** @type {any} */ one) => one.url().includes(`/${name}-`))));
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await parts;
  assert.deepEqual(/** @type {any} */ (before).filter(isPart), []);
});

browserTest("keys that are pressed before a screen's code has come act when it has", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1", "shop.parcels 1"]);
  const { page, go, release } = await openHeld(server);
  await go("#/explore?p0=shop.orders&p1=shop.parcels&from=-5m");
  await page.waitForSelector(".frame-tools");
  await page.waitForSelector("#progress.on");
  for (const key of ["j", "j", "w"]) await page.keyboard.press(key);
  assert.equal(await page.locator(".panel").count(), 0);
  release();
  await page.waitForFunction(() => location.hash.includes("p1.w=1d"));
  assert.ok(!page.url().includes("p0.w"));
});

browserTest("a screen whose code hangs holds nobody: g h leads away, and the keys for it are dropped", async () => {
  const server = await startServer();
  await feedFleet(server, 1);
  const { page, go, release } = await openHeld(server);
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await pressSequence(page, "g", "s", "?");
  await page.waitForFunction(() => location.hash.startsWith("#/status"));
  await pressSequence(page, "g", "h");
  await page.waitForFunction(() => location.hash.startsWith("#/hosts"));
  await page.keyboard.press(".");
  await page.waitForFunction(() => location.hash.includes("live=1"));
  const drawn = page.waitForResponse((/** @type {any} */ one) => one.url().includes("/later-"));
  release();
  await drawn;
  await page.waitForFunction(() => !document.querySelector("#progress.on"));
  assert.equal(await page.locator(".hosts-rows .row").count(), 9);
  assert.equal(await page.locator("dialog[open]").count(), 0);
});

browserTest("a part that did not come is said, and comes at the next use: a dialog by its key, a screen by its button", async () => {
  const server = await startServer();
  await feedFleet(server, 1);
  const { page, go, allow } = await openWithout(server);
  await go("");
  await page.waitForSelector(".hosts-rows .row");
  await page.keyboard.press("?");
  await page.waitForSelector(".toast:has-text('did not load')");
  await page.click(".frame-tools [aria-label=Help]");
  await page.waitForSelector(".toast:has-text('did not load')");
  await page.click("nav.screens a:has-text('Status')");
  await page.waitForSelector(".screen [role=alert] h1:has-text('did not load')");
  await page.evaluate(() => document.querySelector(".screen")?.classList.add("before"));
  await page.click("text=Try again");
  await page.waitForSelector(".screen:not(.before) [role=alert] h1:has-text('did not load')");
  await page.waitForFunction(() => document.activeElement?.textContent === "Try again");
  await allow();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".screen-status .status-body");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
});

browserTest("a screen that was opened while the server was away comes by itself when it is back", async () => {
  const http = `127.0.0.1:${await freePort()}`;
  const server = await startServer({ http });
  await server.feed(["shop.orders 1"]);
  const { page, go, allow } = await openWithout(server);
  await go("#/explore?p0=shop.orders");
  await page.waitForSelector(".screen [role=alert] h1:has-text('did not load')");
  await server.stop();
  await page.waitForSelector("#banner:has-text('does not answer')");
  await allow();  // only now, so that nothing loads before the server is away
  await page.keyboard.press("r");
  await page.waitForSelector(".screen [role=alert] h1:has-text('did not load')");
  const again = await startServer({ http });
  await page.waitForSelector(".screen-explore .panel");
  await again.stop();
});

/**
 * What is said to those who do not see the page, and how often a screen was put in place of another, from now on.
 * @param {any} page @returns {Promise<() => Promise<{said: string[], screens: number}>>}
 */
async function watchScreens(page) {
  await page.evaluate(() => {
    const seen = Object.assign(window, { seen: { said: /** @type {string[]} */ ([]), screens: 0 } }).seen;
    const onChange = (/** @type {string} */ id, /** @type {(element: HTMLElement) => void} */ heard) => {
      const element = /** @type {HTMLElement} */ (document.getElementById(id));
      new MutationObserver(() => heard(element)).observe(element, { childList: true });
    };
    onChange("announce", (element) => seen.said.push(element.textContent ?? ""));
    onChange("main", () => { ++seen.screens; });
  });
  return () => page.evaluate(() => /** @type {any} */ (window).seen);
}

browserTest("a screen that did not load says so once: what asks for it again says nothing and moves nothing until it comes", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1"]);
  const { page, go, allow } = await openWithout(server);
  let fails = 0;
  page.on("requestfailed", (/** @type {any} */ one) => { if (one.url().includes("/later-")) ++fails; });
  await go("#/status");
  await page.waitForSelector(".screen [role=alert] h1:has-text('This screen did not load')");
  await page.waitForFunction(() => document.title === "Not loaded · statmill");
  assert.deepEqual(await page.locator(".screen button").allTextContents(), ["Try again", "Reload the page"]);
  await page.focus("button:has-text('Reload the page')");
  const seen = await watchScreens(page);
  await answered(async () => fails >= 2);  // the screen, and what loads once the page is idle
  for (const key of ["r", "m", "a"]) {  // a refresh, another theme, another range
    const before = fails;
    await page.keyboard.press(key);
    await answered(async () => fails > before);
    await page.waitForFunction(() => !document.querySelector("#progress.on"));
  }
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Reload the page");
  assert.deepEqual(await seen(), { said: [], screens: 0 });
  assert.equal(await page.locator(".toast").count(), 0);
  await allow();
  await page.keyboard.press("r");
  await page.waitForSelector(".screen-status .status-body");
  assert.deepEqual(await seen(), { said: ["Status"], screens: 1 });
});

browserTest("a press of Try again while a refresh asks for the screen is answered: it says again that the screen did not load", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1"]);
  const { page, go } = await openWithout(server);
  await go("#/status");
  await page.waitForSelector(".screen [role=alert] h1:has-text('did not load')");
  const seen = await watchScreens(page);
  let release = () => {};
  const released = new Promise((done) => { release = () => done(undefined); });
  await page.route(kParts, async (/** @type {any} */ route) => {
    await released;
    await route.abort();
  });
  await page.keyboard.press("r");
  await page.waitForSelector("#progress.on", { state: "attached" });
  await page.click("text=Try again");
  release();
  await answered(async () => (await seen()).screens === 1);
  assert.deepEqual(await seen(), { said: ["Not loaded"], screens: 1 });
  await page.waitForSelector(".screen [role=alert] h1:has-text('did not load')");
});

browserTest("of the dialogs that are asked for while their code loads only the last one opens, and later ones open at once", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1"]);
  const { page, go } = await openPage(server);
  let release = () => {};
  const released = new Promise((done) => { release = () => done(undefined); });
  await page.route("**/a/*/later-*.js", async (/** @type {any} */ route) => {
    await released;
    await route.continue();
  });
  await go("#/explore?p0=shop.orders&from=-5m");
  await page.waitForSelector(".panel");
  await page.evaluate(() => {
    const opened = Object.assign(window, { opened: /** @type {(string|null)[]} */ ([]) }).opened;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const one of addedNodes) if (one instanceof HTMLDialogElement) opened.push(one.ariaLabel);
    }).observe(/** @type {HTMLElement} */ (document.getElementById("layers")), { childList: true });
  });
  const opened = () => page.evaluate(() => /** @type {any} */ (window).opened);
  for (const key of ["?", "?"]) await page.keyboard.press(key);
  await page.click("button:has-text('As on host')");
  await page.click("button:has-text('Save as dashboard')");
  assert.deepEqual(await opened(), []);
  release();
  await page.waitForSelector("dialog[open]:has-text('Save as dashboard')");
  assert.deepEqual(await opened(), ["Save as dashboard"]);
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]:has-text('How to read a panel')");
  assert.deepEqual(await opened(), ["Save as dashboard", "Help"]);
});

// What is shared by the tests of accessibility on a wide screen and on a narrow one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browserTest, feedFleet, load, openPage, startServer } from "./browser.js";

// Each screen, and what lies over one, is judged by axe-core, light and dark. On a phone's screen nothing may be wider than it,
// neither at 380 px nor at the 320 px that 1280 px are at a zoom of 400 %.

/** @typedef {{hash: string, keys?: string[], click?: string, wait?: string}} Scene */
/** @type {Scene[]} */
const kScreens = [
  { hash: "#/hosts" }, { hash: "#/hosts?m=map" }, { hash: "#/hosts?m=map&g=dc" }, { hash: "#/host/db3.example.org" },
  { hash: "#/explore" }, { hash: "#/explore?p0=g:host.cpu.busy_percent;*&p1=nothing.there" }, { hash: "#/explore?p0=g:host.cpu.busy_percent;*&p0.v=table" },
  { hash: "#/explore?p0=g:host.cpu.busy_percent;*&big=p0" },
  { hash: "#/status" }, { hash: "#/status/loss" }, { hash: "#/status/refused" }, { hash: "#/status/names" }, { hash: "#/status/agents" },
  { hash: "#/status/queries" }, { hash: "#/status/storage" }, { hash: "#/status/admin" },
  { hash: "#/dashboards" }, { hash: "#/d/fleet" },
];
/** What lies over a screen: menus, dialogs, the fields of an edit. @type {Scene[]} */
const kLayers = [
  { hash: "#/hosts", keys: ["?"], wait: "dialog[open]" },
  { hash: "#/hosts", keys: ["t"], wait: ".picker" },
  { hash: "#/hosts", keys: ["/", "w", "e", "b"], wait: ".result" },
  { hash: "#/dashboards", keys: ["e"], wait: "dialog[open]" },
  { hash: "#/d/fleet", keys: ["e"], wait: ".edit-bar" },
  { hash: "#/explore?p0=g:host.cpu.busy_percent;*", click: ".panel-tools [aria-haspopup=menu]", wait: ".menu" },
  { hash: "#/explore?p0=g:host.cpu.busy_percent;*", keys: ["x"], wait: "dialog[open] :is(table, .empty-note)" },
  { hash: "#/explore?p0=g:host.cpu.busy_percent;*", click: "button:has-text('Save as dashboard')", wait: "dialog[open]" },
  { hash: "#/explore?p0=g:host.cpu.busy_percent;*host=db3.example.org*", click: "button:has-text('As on host')", wait: "dialog[open]" },
  { hash: "#/d/fleet", keys: ["e"], click: ".edit-bar button:has-text('Panel') >> nth=0 && .menu .item:has-text('Table')", wait: "dialog[open]" },
  { hash: "#/d/fleet", keys: ["e"], click: "button:has-text('Edit panel')", wait: "dialog[open]" },
];
const kTags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The text of axe-core; the page's policy allows it only as a function of the test. */
function axeText() {
  const modules = process.env.STATMILL_NODE_MODULES;
  return modules ? readFileSync(join(modules, "axe-core/axe.min.js"), "utf8") : load("axe-core").source;
}

/** @param {any} page @param {string[]} only tags, or rules */
async function violations(page, only) {
  const found = await page.evaluate((/** @type {string[]} */ runOnly) => /** @type {any} */ (globalThis).axe.run(document, { runOnly }), only);
  return found.violations.map((/** @type {any} */ one) => `${one.id}: ${one.nodes.slice(0, 3).map((/** @type {any} */ node) => node.html.slice(0, 160)).join(" | ")}`);
}

/** Opens a scene in a fresh page. @param {{page: any, go: (fragment: string) => Promise<void>}} of @param {Scene} scene */
async function open({ page, go }, scene) {
  await page.goto("about:blank");
  await go(scene.hash);
  await page.waitForSelector("#main h1, #main .panel-cell", { state: "attached" });
  await page.waitForFunction(() => document.querySelector("#progress.on, .skeleton") === null &&
    [...document.querySelectorAll(".panel.loading, .panel-state.first")].every((one) => one.getBoundingClientRect().top > innerHeight));
  for (const key of scene.keys ?? []) await page.keyboard.press(key);
  for (const press of scene.click?.split(" && ") ?? []) await page.click(press);
  if (scene.wait) await page.waitForSelector(scene.wait);
}

/** @param {Scene} scene */
function wordsOf(scene) {
  return [scene.hash, ...(scene.keys ?? []), scene.click ?? ""].join(" ").trim();
}

/** What is wider than the window, but for what scrolls in a box of its own, such as tables and plots. @param {any} page @returns {Promise<string[]>} */
function tooWide(page) {
  return page.evaluate(() => {
    const own = document.documentElement;
    const found = own.scrollWidth > own.clientWidth ? [`the page scrolls sideways by ${own.scrollWidth - own.clientWidth} px`] : [];
    for (const element of document.querySelectorAll(":is(#frame, #main, #layers) :is(button, a, input, select, h1, h2, h3, p, dialog, .menu)")) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || element.closest(".hidden, .visually-hidden, .skip")) continue;
      let isScrolled = false;
      for (let parent = element.parentElement; parent !== null && parent !== document.body; parent = parent.parentElement) {
        const style = getComputedStyle(parent);
        if (style.overflowX === "auto" || style.overflowX === "scroll" || style.textOverflow === "ellipsis" || parent.matches(".panel-body, .panel-head, .panel-foot")) isScrolled = true;
      }
      if (!isScrolled && (box.right > innerWidth + 1 || box.left < -1)) found.push(`${element.tagName} ${element.className} ${element.textContent?.trim().slice(0, 30)}: ${Math.round(box.left)} to ${Math.round(box.right)}`);
    }
    return found.slice(0, 4);
  });
}

/**
 * The tests of one width.
 * @param {string} name @param {{width?: number, height?: number, touch?: boolean}} how
 */
export function accessTests(name, how) {
  /** @type {ReturnType<typeof startServer>|null} */
  let started = null;
  const start = async () => {
    const server = await startServer();
    await feedFleet(server, 3);
    await server.feed(["shop.parcels much"], true);
    return server;
  };
  for (const scene of [...kScreens, ...kLayers]) {
    browserTest(`${name}: ${wordsOf(scene)} breaks WCAG 2.2 AA nowhere as far as a program can tell, light and dark`, async () => {
      const opened = await openPage(await (started ??= start()), how);
      const { page } = opened;
      await page.emulateMedia({ colorScheme: "light" });
      await open(opened, scene);
      await page.evaluate(axeText());
      const found = await violations(page, kTags);
      await page.emulateMedia({ colorScheme: "dark" });
      found.push(...(await violations(page, ["color-contrast"])).map((/** @type {string} */ one) => `dark: ${one}`), ...await tooWide(page));
      if (how.touch) {
        await page.setViewportSize({ width: 320, height: 400 });
        found.push(...(await tooWide(page)).map((/** @type {string} */ one) => `at 400 %: ${one}`));
      }
      assert.deepEqual(found, []);
    });
  }
}

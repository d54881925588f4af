import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browserTest, feedFleet, load, openPage, startServer } from "./browser.js";

/** Every screen, then what lies over one: menus, dialogs, the fields of an edit; clicks are separated by `&&`. @type {{hash: string, keys?: string[], click?: string, wait?: string}[]} */
const kScenes = [
  { hash: "#/hosts" }, { hash: "#/hosts?m=map" }, { hash: "#/hosts?m=map&g=dc" }, { hash: "#/host/db3.example.org" },
  { hash: "#/explore" }, { hash: "#/explore?p0=g:host.cpu.busy_percent;*&p1=nothing.there" }, { hash: "#/explore?p0=g:host.cpu.busy_percent;*&p0.v=table" },
  { hash: "#/explore?p0=g:host.cpu.busy_percent;*&big=p0" },
  { hash: "#/status" }, { hash: "#/status/loss" }, { hash: "#/status/refused" }, { hash: "#/status/names" }, { hash: "#/status/agents" },
  { hash: "#/status/queries" }, { hash: "#/status/storage" }, { hash: "#/status/admin" },
  { hash: "#/dashboards" }, { hash: "#/d/fleet" },
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

/** @param {any} page */
async function violations(page) {
  await page.evaluate(axeText());
  const found = await page.evaluate((/** @type {string[]} */ tags) => /** @type {any} */ (globalThis).axe.run(document, { runOnly: tags }), kTags);
  return found.violations.map((/** @type {any} */ one) => `${one.id}: ${one.nodes.slice(0, 3).map((/** @type {any} */ node) => node.html.slice(0, 160)).join(" | ")}`);
}

/** Opens a scene in a fresh page. @param {{page: any, go: (fragment: string) => Promise<void>}} of @param {typeof kScenes[number]} scene */
async function open({ page, go }, scene) {
  await go("");
  await go(scene.hash);
  await page.reload();
  await page.waitForSelector("#main h1, #main .panel-cell");
  await page.waitForLoadState("networkidle");
  for (const key of scene.keys ?? []) await page.keyboard.press(key);
  for (const press of scene.click?.split(" && ") ?? []) await page.click(press);
  if (scene.wait) await page.waitForSelector(scene.wait);
  return [scene.hash, ...(scene.keys ?? []), scene.click ?? ""].join(" ").trim();
}

const kNarrow = { width: 380, height: 700, touch: true };
/** @type {Awaited<ReturnType<typeof startServer>>|null} */
let shared = null;
async function fleetServer() {
  if (shared === null) {
    shared = await startServer();
    await feedFleet(shared, 3);
    await shared.feed(["shop.parcels much"], true);
  }
  return shared;
}

for (const [name, how] of /** @type {const} */ ([
  ["wide and light", {}], ["wide and dark", { dark: true }], ["narrow and light", kNarrow], ["narrow and dark", { ...kNarrow, dark: true }],
])) {
  browserTest(`no screen, menu or dialog breaks WCAG 2.2 AA as far as a program can tell: ${name}`, async () => {
    const opened = await openPage(await fleetServer(), how);
    const { page } = opened;
    /** @type {string[]} */
    const all = [];
    for (const scene of kScenes) {
      const words = await open(opened, scene);
      all.push(...(await violations(page)).map((/** @type {string} */ one) => `${words} ${one}`));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (over > 0) all.push(`${words} scrolls sideways by ${over} px`);
    }
    await opened.close();
    assert.deepEqual(all, []);
  });
}

browserTest("at 400 % of 1280 px nothing but tables and plots is wider than the window", async () => {
  const opened = await openPage(await fleetServer(), { width: 320, height: 200 });
  const { page } = opened;
  /** @type {string[]} */
  const all = [];
  for (const scene of kScenes) {
    const words = await open(opened, scene);
    const wide = await page.evaluate(() => {
      const own = document.documentElement;
      const found = own.scrollWidth > own.clientWidth ? [`the page scrolls sideways by ${own.scrollWidth - own.clientWidth} px`] : [];
      for (const element of document.querySelectorAll(":is(#frame, #main, #layers) :is(button, a, input, select, h1, h2, h3, p, dialog, .menu)")) {
        const box = element.getBoundingClientRect();
        // what scrolls in a box of its own is there by a swipe or by keys
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
    all.push(...wide.map((/** @type {string} */ one) => `${words}: ${one}`));
  }
  await opened.close();
  assert.deepEqual(all, []);
});

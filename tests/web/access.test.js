import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browserTest, feedFleet, load, openPage, startServer } from "./browser.js";

const kScreens = ["#/hosts", "#/hosts?m=map", "#/host/db3.example.org", "#/explore?p0=g:host.cpu.busy_percent;*", "#/status", "#/status/refused", "#/status/names",
  "#/status/agents", "#/status/storage", "#/status/admin", "#/dashboards", "#/d/fleet"];
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

for (const [name, how] of /** @type {const} */ ([
  ["wide and light", {}], ["wide and dark", { dark: true }], ["narrow", { width: 380, height: 700, touch: true }],
])) {
  browserTest(`no screen breaks WCAG 2.2 AA as far as a program can tell: ${name}`, async () => {
    const server = await startServer();
    await feedFleet(server, 3);
    const { page, go } = await openPage(server, how);
    /** @type {string[]} */
    const all = [];
    for (const screen of kScreens) {
      await go("");
      await go(screen);
      await page.waitForLoadState("networkidle");
      all.push(...(await violations(page)).map((/** @type {string} */ one) => `${screen} ${one}`));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (over > 0) all.push(`${screen} scrolls sideways by ${over} px`);
    }
    assert.deepEqual(all, []);
  });
}

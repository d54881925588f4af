// Names that are hard to show, and the search for names.

import assert from "node:assert/strict";
import { browserTest, openPage, startServer } from "./browser.js";

const kTags = Array.from({ length: 64 }, (_, i) => `t${10 + i}=v${i}`).join(";");
const kOdd = ["odd.with_spaces_made_so", "odd.café.😀", "odd..two..dots", "odd.leaf", "odd.leaf.branch", "odd.__proto__", "odd.constructor", "__proto__", "constructor",
  "odd.tagged;__proto__=constructor;constructor=__proto__", `odd.tagged;${kTags}`, `odd.${"x".repeat(2048 - 4)}`];

/** Prefixes of the levels of the tree above a name. @param {string} name */
function levelsAbove(name) {
  const path = name.split(";")[0];
  const cuts = [...path.matchAll(/\./g)].map((dot) => path.slice(0, /** @type {number} */ (dot.index)));
  return name === path ? cuts : [...cuts, path];
}

browserTest("odd names are browsed, drawn, saved in a dashboard, and the same after a reload", async () => {
  const server = await startServer();
  await server.feed(kOdd.map((name, i) => `${name} ${101 + i}`));
  const { page, go, messages, dialogs } = await openPage(server, { height: 900 });
  await go("#/explore?c=3");
  const row = (/** @type {string} */ name) => page.locator(".tree .row").filter({ has: page.locator(`bdi.part[title=${JSON.stringify(name)}]`) });
  for (const [i, name] of kOdd.entries()) {
    for (const level of levelsAbove(name)) {
      const closed = row(level).and(page.locator("[aria-expanded=false]"));
      await row(level).first().waitFor();
      if (await closed.count() > 0) await closed.locator(".twist").click();
    }
    await row(name).last().click({ modifiers: ["Shift"] });
    await page.waitForFunction((/** @type {number} */ count) => document.querySelectorAll(".panel-cell").length === count, i + 1);
  }
  /** Panels are drawn as they come into view. @param {string} screen */
  async function checkPanels(screen) {
    const cells = page.locator(`.screen-${screen} .panel-cell`);
    await cells.nth(kOdd.length - 1).waitFor();
    for (const [i, name] of kOdd.entries()) {
      const cell = cells.nth(i);
      await cell.scrollIntoViewIfNeeded();
      await cell.locator("canvas").waitFor();
      await cell.locator(`.panel-body[aria-label*="now ${101 + i},"]`).waitFor();
      assert.equal(await cell.locator("h3").getAttribute("title"), name);
    }
  }
  await checkPanels("explore");
  await page.click("button:has-text('Save as dashboard')");
  await page.fill("dialog input", "Odd names");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/d/odd-names"));
  await page.reload();
  await checkPanels("d");
  const saved = await server.json("/api/v1/dashboards/odd-names");
  assert.deepEqual(saved.panels.flatMap((/** @type {any} */ panel) => panel.series), kOdd);
  assert.deepEqual(dialogs, []);
  assert.deepEqual(messages, []);
});

browserTest("words find a series in any order, the nearest first, and so do letters of its host and path", async () => {
  const server = await startServer();
  const wanted = "host.sched.runqueue_wait_ns;host=web1.example.org";
  await server.feed([wanted, "host.sched.runqueue_wait_ns;host=web12.example.org", "host.sched.runqueue_wait_ns;host=db1.example.org",
    "host.cgroup.runqueue_wait_ns;cgroup=/a;host=web1.example.org", "host.load.tasks_running;host=web1.example.org", "shop.crunch;page=cobweb"].map((name) => `${name} 1`));
  const { page, go } = await openPage(server);
  await go("#/explore");
  const results = page.locator("#found .result .name");
  for (const [text, count] of /** @type {[string, number][]} */ ([["web run", 5], ["run web", 5], ["w1rqw", 3], ["rqww1", 3]])) {
    await page.fill(".search-row input", "");
    await page.locator(".search-row input").pressSequentially(text);
    await page.waitForFunction((/** @type {number} */ size) => document.querySelectorAll("#found .result").length === size, count);
    assert.equal(await results.first().textContent(), wanted, text);
  }
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("p0=host.sched.runqueue_wait_ns;host%3Dweb1.example.org"));
});

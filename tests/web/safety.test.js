import assert from "node:assert/strict";
import { browserTest, openPage, startServer } from "./browser.js";

const kNames = ["odd.<img/src=x/onerror=alert(1)>", "odd.\"><svg/onload=alert(1)>", "odd.__proto__", "odd.constructor", "odd.a..b", "odd.😀.smile",
  "odd.leaf", "odd.leaf.branch", `odd.${"x".repeat(1500)}`];
const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html";

browserTest("names that are markup are text in tree, panel, title and address", async () => {
  const server = await startServer();
  await server.feed(kNames.map((name) => `${name} 1`));
  const { page, go, dialogs, messages } = await openPage(server);
  await go("#/explore?n=odd.");
  await page.waitForFunction(() => document.querySelector("[role=tree]")?.textContent?.includes("onerror"));
  for (const name of kNames.slice(0, 4)) {
    await page.evaluate((text) => { location.hash = `#/explore?p0=${encodeURIComponent(text)}`; }, name);
    await page.waitForFunction((text) => document.querySelector(".panel-cell")?.textContent?.includes(text.slice(-12)), name);
    assert.ok((await page.title()).includes(name.slice(0, 20)));
  }
  assert.equal(await page.evaluate(() => document.querySelectorAll("img[src=x], svg[onload], [onerror]").length), 0);
  assert.deepEqual(dialogs, []);
  assert.deepEqual(messages.filter((one) => !one.includes("/api/v1/events")), []);
});

browserTest("a string is never markup, and the headers are the policy", async () => {
  const server = await startServer();
  const { page } = await openPage(server);
  const answer = await page.goto(server.url);
  assert.equal(answer.headers()["content-security-policy"], kPolicy);
  assert.equal(answer.headers()["x-content-type-options"], "nosniff");
  assert.equal(answer.headers()["referrer-policy"], "no-referrer");
  assert.equal(answer.headers()["cross-origin-resource-policy"], "same-origin");
  await assert.rejects(page.evaluate(() => { document.body.innerHTML = "x"; }), /TrustedHTML/);
});

browserTest("a refused line with hidden characters stands under Refused with them written out", async () => {
  const server = await startServer();
  await server.feed(["a\u202eb\u2066c\u200bd 1"], true);
  const { page, go } = await openPage(server);
  await go("#/status/refused");
  await page.waitForSelector("table.data:has-text('‹U+202E›')");
  const text = await page.locator("table.data").textContent();
  assert.match(text, /a‹U\+202E›b‹U\+2066›c‹U\+200B›d/);
});

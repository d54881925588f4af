// Rules of the page's sources: names stay text, one module asks the server, imports point down.
import assert from "node:assert/strict";
import {readdirSync, readFileSync} from "node:fs";
import {dirname, join, relative, resolve} from "node:path";
import {test} from "node:test";
import {fileURLToPath} from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../src");

/** What may stand only in some files, or in none. */
const kRules = [
  {what: "markup from strings", pattern: /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|unsafeHTML|unsafeSVG)\b/, in: []},
  {what: "code from strings", pattern: /\beval\(|\bnew Function\(/, in: []},
  {what: "a style attribute in a template", pattern: /<[a-z][^<>`]*\sstyle=/, in: []},
  {what: "an event attribute in a template", pattern: /<[a-z][^<>`]*\son[a-z]+=/, in: []},
  {what: "a request", pattern: /\b(fetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon)/, in: ["data/client.js"]},
  {what: "a plot", pattern: /\bnew uPlot\(/, in: ["panel/pool.js"]},
  {what: "the browser's clock", pattern: /\bDate\.now\(/, in: ["data/clock.js"]},
  {what: "a colour", pattern: /["'`\s:(]#[0-9a-fA-F]{6}\b/, in: ["style/tokens.css", "model/colors.js", "icon.svg"]},
  {what: "an address", pattern: /\bhttps?:\/\/(?!www\.w3\.org\/2000\/svg)[a-z0-9]/, in: []},
];

/** Which folders the modules of a folder may import. */
const kLayers = {
  screens: ["screens", "panel", "parts", "state", "data", "model"],
  panel: ["panel", "parts", "state", "data", "model"],
  parts: ["parts", "state", "data", "model"],
  state: ["state", "data", "model"],
  data: ["data", "model"],
  model: ["model"],
};

const files = readdirSync(root, {recursive: true, withFileTypes: true})
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
const textOf = (/** @type {string} */ file) => readFileSync(join(root, file), "utf8");

for (const rule of kRules) {
  test(`${rule.what} is only in [${rule.in.join(", ")}]`, () => {
    const found = files.filter((file) => !rule.in.includes(file) && rule.pattern.test(textOf(file).replace(/^\s*(\/\/|\*|\/\*\*).*$/gm, "")));
    assert.deepEqual(found, []);
  });
}

test("imports point down", () => {
  const faults = [];
  for (const file of files.filter((name) => name.endsWith(".js") && name.includes("/"))) {
    const layer = /** @type {keyof typeof kLayers} */ (file.split("/")[0]);
    const code = textOf(file).replace(/^\s*(\/\/|\*|\/\*\*).*$/gm, "");
    for (const [, target] of code.matchAll(/^(?:import|export)[^"';]*from\s*["'](\.[^"']+)["']/gm)) {
      const to = relative(root, resolve(root, dirname(file), target)).split("/");
      if (to.length > 1 && !kLayers[layer].includes(to[0])) faults.push(`${file} -> ${to.join("/")}`);
    }
  }
  assert.deepEqual(faults, []);
});

test("the rules find what they forbid", () => {
  const bad = ["x.innerHTML = y", "eval(x)", '<p style="a">', '<p onclick="x">', "fetch(x)", "new uPlot(a)", "Date.now()", '"#aabbcc"', "https://example.org"];
  bad.forEach((text, i) => assert.match(text, kRules[i].pattern));
});

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {contrast, heatPlace, luminance, Palette, ramp} from "../../src/model/colors.js";

const kSource = readFileSync(new URL("../../src/style/tokens.css", import.meta.url), "utf8");

/** The properties of the block after a selector. @param {string} selector */
function block(selector) {
  const body = kSource.slice(kSource.indexOf(selector)).split("{")[1].split("}")[0];
  return Object.fromEntries([...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value.trim()]));
}

const kThemes = {light: block("\n:root {"), dark: block(":root[data-theme=\"dark\"] {")};
const kSystemDark = (() => {
  const body = kSource.slice(kSource.indexOf(":root:not([data-theme=\"light\"])")).split("{")[1].split("}")[0];
  return Object.fromEntries([...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value.trim()]));
})();

test("the dark colours are the same by choice and by the system", () => {
  assert.deepEqual(kSystemDark, kThemes.dark);
});

for (const [theme, colors] of Object.entries(kThemes)) {
  test(`${theme}: texts and lines have enough contrast on panels`, () => {
    for (const name of ["text", "muted", "accent", "ok", "warn", "bad"]) {
      assert.ok(contrast(colors[name], colors.panel) >= 4.5, name);
      assert.ok(contrast(colors[name], colors.ground) >= 4.5, `${name} on the ground`);
    }
    for (const name of ["ok", "warn", "bad"]) assert.ok(contrast(colors[name], colors[`${name}-tint`]) >= 4.5, `${name} on its tint: ${contrast(colors[name], colors[`${name}-tint`])}`);
    assert.ok(contrast(colors.accent, colors["accent-tint"]) >= 4.5, "accent on its tint");
    assert.ok(contrast(colors["on-accent"], colors.accent) >= 4.5, "text on accent");
    assert.ok(contrast(colors.edge, colors.panel) >= 3, "edge of controls");
    for (let i = 1; i <= 8; ++i) assert.ok(contrast(colors[`s${i}`], colors.panel) >= 3, `series ${i}`);
  });

  test(`${theme}: the ramp of heatmaps is monotone, and one sample is seen`, () => {
    const stops = Array.from({length: 9}, (_, i) => colors[`h${i}`]);
    const steps = Array.from({length: 65}, (_, i) => luminance(ramp(stops, i / 64)));
    const falls = theme === "light";
    for (let i = 1; i < steps.length; ++i) assert.ok(falls ? steps[i] < steps[i - 1] : steps[i] > steps[i - 1], `at ${i}`);
    assert.ok(contrast(ramp(stops, heatPlace(1, 1, 1000)), colors.panel) >= 1.5);
    assert.equal(heatPlace(1000, 1, 1000), 1);
    assert.ok(heatPlace(30, 1, 1000) > heatPlace(3, 1, 1000));
  });
}

test("a name keeps its colour whatever comes and goes", () => {
  const palette = new Palette();
  const first = palette.paint("a");
  for (let i = 0; i < 100; ++i) palette.paint(`other ${i}`);
  assert.deepEqual(palette.paint("a"), first);
  assert.equal(first.index, 1);
  const fresh = new Palette();
  const all = Array.from({length: 24}, (_, i) => JSON.stringify(fresh.paint(`n${i}`)));
  assert.equal(new Set(all).size, 24);
});

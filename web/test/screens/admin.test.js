import assert from "node:assert/strict";
import { test } from "node:test";
import { isConfirmed, previewOf, retentionText, shellWord } from "../../src/screens/admin.js";
import { viewIs } from "../../src/screens/hosts_model.js";

test("only the number of the preview confirms", () => {
  assert.ok(isConfirmed("14", 14));
  assert.ok(isConfirmed(" 10,000 ", 10_000));
  for (const typed of ["", "1", "140", "fourteen", "14.0", "-14"]) assert.ok(!isConfirmed(typed, 14), typed);
  assert.ok(!isConfirmed("0", 0));
});

test("a preview has the names before and after", () => {
  assert.deepEqual(previewOf({ count: 2, truncated: false, series: ["a", "b"] }), { total: 2, isTruncated: false, names: ["a", "b"], after: [] });
  assert.deepEqual(previewOf({ count: 20_000, truncated: true, series: [{ from: "a", to: "b" }] }), { total: 20_000, isTruncated: true, names: ["a"], after: ["b"] });
});

test("a rule of retention is said in words", () => {
  assert.equal(retentionText("10s:2d,5m:90d,1h:3y"), "10s slots for 2d, 5m slots for 90d, 1h slots for 3y");
});

test("a command is safe to paste", () => {
  assert.equal(shellWord("shop.old"), "shop.old");
  assert.equal(shellWord("shop.*"), "'shop.*'");
  assert.equal(shellWord("it's;x"), "'it'\\''s;x'");
});

test("links to the map, also those of earlier versions, show the map", () => {
  assert.equal(viewIs("map", 3), "map");
  assert.equal(viewIs("m", 3), "map");
  assert.equal(viewIs("t", 1000), "table");
  assert.equal(viewIs("table", 1000), "table");
  assert.equal(viewIs("", 3), "table");
  assert.equal(viewIs("", 1000), "map");
});

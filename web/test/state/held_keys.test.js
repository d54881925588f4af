import assert from "node:assert/strict";
import { test } from "node:test";
import { createHeldKeys } from "../../src/state/held_keys.js";

const event = /** @type {any} */ ({});

/** Held keys whose acts are listed. */
function world() {
  /** @type {string[]} */
  const acted = [];
  return { acted, held: createHeldKeys((name) => acted.push(name)) };
}

test("keys act in their order, once", () => {
  const { acted, held } = world();
  for (const key of ["j", "Enter"]) held.hold(key, event);
  assert.deepEqual(acted, []);
  held.release();
  held.release();
  assert.deepEqual(acted, ["j", "Enter"]);
});

test("a key that opens another screen holds those after it", () => {
  /** @type {string[]} */
  const acted = [];
  let isComing = false;
  /** @type {import("../../src/state/held_keys.js").HeldKeys} */
  const held = createHeldKeys((name) => {
    if (isComing) held.hold(name, event);
    else acted.push(name);
    if (name === "Enter") isComing = true;
  });
  for (const key of ["Enter", "j"]) held.hold(key, event);
  held.release();
  assert.deepEqual(acted, ["Enter"]);
  isComing = false;
  held.release();
  assert.deepEqual(acted, ["Enter", "j"]);
});

test("keys for a screen that is left are dropped; those of somebody who leans on one are not kept for ever", () => {
  const { acted, held } = world();
  held.hold("j", event);
  held.drop();
  for (let i = 0; i < 1000; ++i) held.hold("k", event);
  held.release();
  assert.equal(acted.length, 64);
  assert.ok(!acted.includes("j"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHeldKeys } from "../../src/state/held_keys.js";

const event = /** @type {any} */ ({});

/** Held keys whose acts are listed, and two parts that come when the test says so. */
function world() {
  /** @type {string[]} */
  const acted = [];
  /** @type {import("../../src/state/held_keys.js").HeldKeys} */
  const held = createHeldKeys((name) => { if (!held.hold(name, event)) acted.push(name); });
  const part = () => {
    let end = { come() {}, fail() {} };
    const run = held.during(() => new Promise((done, failed) => { end = { come: () => done(undefined), fail: () => failed(new Error("no")) }; }));
    return { ...end, run };
  };
  return { acted, held, part };
}

test("a key acts at once if nothing loads", () => {
  const { held } = world();
  assert.equal(held.hold("j", event), false);
});

test("keys wait for all parts that load, and act in their order", async () => {
  const { acted, held, part } = world();
  const [first, second] = [part(), part()];
  for (const key of ["j", "Enter"]) assert.equal(held.hold(key, event), true);
  first.come();
  await first.run;
  assert.deepEqual(acted, []);
  second.come();
  await second.run;
  assert.deepEqual(acted, ["j", "Enter"]);
});

test("a part that does not come lets the keys go, too", async () => {
  const { acted, held, part } = world();
  const one = part();
  held.hold("r", event);
  one.fail();
  await assert.rejects(one.run);
  assert.deepEqual(acted, ["r"]);
});

test("a held key that loads another part holds those after it", async () => {
  const { acted, held, part } = world();
  const other = createHeldKeys((name) => {
    if (other.hold(name, event)) return;
    acted.push(name);
    if (name === "?") void other.during(() => part().run);
  });
  const first = other.during(async () => { for (const key of ["?", "j"]) other.hold(key, event); });
  await first;
  assert.deepEqual(acted, ["?"]);
  assert.equal(held.hold("k", event), true);
});

test("keys for a screen that is left are dropped; those of somebody who leans on one are not kept for ever", async () => {
  const { acted, held, part } = world();
  const one = part();
  held.hold("j", event);
  held.drop();
  for (let i = 0; i < 1000; ++i) held.hold("k", event);
  one.come();
  await one.run;
  assert.equal(acted.length, 64);
  assert.ok(!acted.includes("j"));
});

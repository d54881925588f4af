import assert from "node:assert/strict";
import { test } from "node:test";
import { createDrafts } from "../../src/state/drafts.js";
import { createHistory } from "../../src/state/history.js";
import { createSequences, keyName, takesText } from "../../src/state/keys.js";
import { checkPrefs, createPrefs } from "../../src/state/prefs.js";
import { createStore, oncePerFrame } from "../../src/state/store.js";

function memory() {
  const map = new Map();
  return { getItem: (key) => map.get(key) ?? null, setItem: (key, value) => map.set(key, value), removeItem: (key) => map.delete(key), map };
}

test("a store tells each change once, with the value before", () => {
  const store = createStore({ a: 1, b: 2 });
  const heard = [];
  const stop = store.listen((now, before) => heard.push([now.a, before.a]));
  store.patch({ a: 5 });
  store.set(store.get());
  stop();
  store.patch({ a: 6 });
  assert.deepEqual(heard, [[5, 1]]);
  assert.equal(store.get().b, 2);
});

test("many calls in a frame run once", () => {
  let due = () => {};
  let runs = 0;
  const later = oncePerFrame(() => ++runs, (run) => { due = run; });
  later();
  later();
  due();
  later();
  due();
  assert.equal(runs, 2);
});

test("undo and redo walk the steps; the oldest of too many goes", () => {
  const history = createHistory(2);
  for (const step of [1, 2, 3]) history.push(step);
  assert.equal(history.undo(4), 3);
  assert.equal(history.redo(3), 4);
  assert.equal(history.undo(4), 3);
  assert.equal(history.undo(3), 2);
  assert.equal(history.undo(2), undefined);
});

test("preferences take only what they know", () => {
  const defaults = checkPrefs(null);
  assert.deepEqual(checkPrefs({ theme: "pink", zone: "Mars/Phobos", letters: "no", every: -1, ranges: [1, "a/b", "c"] }),
    { ...defaults, ranges: ["a/b"] });
  assert.equal(checkPrefs({ zone: "Europe/Berlin" }).zone, "Europe/Berlin");
});

test("preferences survive a reload, and a broken or forbidden storage", () => {
  const storage = memory();
  createPrefs(storage).patch({ theme: "dark" });
  assert.equal(createPrefs(storage).get().theme, "dark");
  storage.setItem("statmill.prefs", "{broken");
  assert.equal(createPrefs(storage).get().theme, "auto");
  const forbidden = { getItem() { throw new Error("no"); }, setItem() { throw new Error("no"); } };
  const prefs = createPrefs(forbidden);
  prefs.patch({ theme: "light" });
  assert.equal(prefs.get().theme, "light");
});

test("a draft is kept until it is thrown away; what is no draft is ignored", () => {
  const storage = memory();
  const drafts = createDrafts(storage);
  assert.equal(drafts.save("a", { etag: "\"1-x\"", time: 1, content: { title: "t" } }), true);
  assert.deepEqual(createDrafts(storage).load("a")?.content, { title: "t" });
  drafts.remove("a");
  assert.equal(drafts.load("a"), null);
  storage.setItem("statmill.draft.b", "{\"etag\":1}");
  assert.equal(drafts.load("b"), null);
  assert.equal(createDrafts(null).save("a", { etag: "", time: 1, content: 1 }), false);
  assert.equal(drafts.save("a", { etag: "", time: 1, content: "x".repeat(300_000) }), false);
});

test("key presses have one name", () => {
  const press = (key, more = {}) => keyName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  assert.equal(press("g"), "g");
  assert.equal(press("Y", { shiftKey: true }), "Y");
  assert.equal(press("s", { ctrlKey: true }), "Ctrl+S");
  assert.equal(press("k", { metaKey: true }), "Ctrl+K");
  assert.equal(press("ArrowLeft", { shiftKey: true }), "Shift+←");
  assert.equal(press("Escape"), "Esc");
  assert.equal(press("Shift", { shiftKey: true }), "");
});

test("g begins a sequence that ends with the next key, or with time", () => {
  const sequences = createSequences();
  assert.equal(sequences.press("g", 0), "");
  assert.equal(sequences.press("h", 1000), "g h");
  assert.equal(sequences.press("h", 1000), "h");
  sequences.press("g", 1000);
  assert.equal(sequences.press("h", 6000), "h");
});

test("letters are text in fields", () => {
  const field = { isContentEditable: false, matches: (selector) => selector.includes("textarea") };
  assert.equal(takesText(field), true);
  assert.equal(takesText(null), false);
});

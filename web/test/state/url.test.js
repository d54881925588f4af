import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyRoute, formatFragment, own, parseFragment, tieToAddress, withOwn } from "../../src/state/url.js";
import { createStore } from "../../src/state/store.js";

test("an empty fragment is Hosts with all defaults, and is written without them", () => {
  for (const fragment of ["", "#", "#/", "#/hosts", "#/nonsense"]) {
    assert.deepEqual(parseFragment(fragment), emptyRoute(), fragment);
  }
  assert.equal(formatFragment(emptyRoute()), "#/hosts");
});

test("links of the page read and write as they are", () => {
  const links = [
    "#/hosts?f=role%3Dweb&g=dc&s=-cpu.u&m=m",
    "#/host/web1.example.org?o=disk&dev=sda",
    "#/status/refused",
    "#/d/disks?ver=4&v.host=host.web1",
    "#/explore?q=web+run&n=host.web1.&c=2&p0=a.b&p0=a.c&p0.b=mm&p0.st=avg,p99&p1=g:host.*;dc%3Dfra",
    "#/explore?p2=a&p10=b",
    "#/hosts?from=-6h&live=1",
    "#/hosts?from=1795209900&until=1795213500&tz=Europe/Berlin&cmp=1w&at=1795210000&k=2&big=p2",
  ];
  for (const link of links) assert.equal(formatFragment(parseFragment(link)), link);
});

test("keys come in one order, whatever the order of the link", () => {
  assert.equal(formatFragment(parseFragment("#/explore?live=1&p1=b&c=3&p0=a&q=x&p0.y=log")), "#/explore?q=x&c=3&p0=a&p0.y=log&p1=b&live=1");
});

test("keys of another version are kept", () => {
  assert.equal(formatFragment(parseFragment("#/hosts?zz=1&future=a%26b&zz=2")), "#/hosts?future=a%26b&zz=1&zz=2");
});

test("every text survives as a value, and as an argument", () => {
  const texts = ["<img/src=x/onerror=alert(1)>", "\"><svg/onload=alert(1)>", "a&b=c#d?e%f", "%zz", "\u202e\u200b", "😀;x=y", "__proto__", "a b+c",
    "../..", "x".repeat(2048)];
  for (const text of texts) {
    const route = { ...emptyRoute(), screen: "host", arg: text, own: withOwn(emptyRoute(), { p0: text, [text]: "1" }) };
    const again = parseFragment(formatFragment(route));
    assert.equal(again.arg, text);
    assert.deepEqual({ ...again.own }, { p0: [text], [text]: ["1"] });
  }
});

test("names of properties of objects are keys like others", () => {
  const route = parseFragment("#/explore?__proto__=x&constructor=y&toString=z");
  assert.equal(own(route, "__proto__"), "x");
  assert.equal(own(route, "constructor"), "y");
  assert.equal(own(emptyRoute(), "toString", "none"), "none");
});

test("an empty value removes a key", () => {
  const route = parseFragment("#/hosts?f=a&g=dc");
  assert.deepEqual({ ...withOwn(route, { f: "" }) }, { g: ["dc"] });
});

/** A window with just an address and a history. */
function fakeWindow(hash = "") {
  const listeners = new Map();
  const entries = [hash];
  let timers = [];
  return {
    entries, location: { hash },
    history: {
      pushState(_state, _title, to) { entries.push(to); this.owner.location.hash = to; },
      replaceState(_state, _title, to) { entries[entries.length - 1] = to; this.owner.location.hash = to; },
      owner: null,
    },
    addEventListener: (name, heard) => listeners.set(name, heard),
    clearTimeout() { timers = []; },
    setTimeout(run) { timers.push(run); return timers.length; },
    settle() { const due = timers; timers = []; for (const run of due) run(); },
    go(to) { entries.push(to); this.location.hash = to; listeners.get("hashchange")(); },
    back() { entries.pop(); this.location.hash = entries[entries.length - 1]; listeners.get("popstate")(); },
  };
}

test("the address has each change at once; a crosshair is no entry of the history, a drag is one; back returns", () => {
  const window = fakeWindow("#/hosts");
  window.history.owner = window;
  const store = createStore(parseFragment("#/hosts"));
  tieToAddress({ store, window });
  store.patch({ at: "100" });
  assert.deepEqual(window.entries, ["#/hosts?at=100"]);
  for (const from of ["-6h", "-5h", "-4h"]) store.patch({ from });
  assert.deepEqual(window.entries, ["#/hosts?at=100", "#/hosts?from=-4h&at=100"]);
  window.settle();
  store.patch({ from: "-3h" });
  assert.equal(window.entries.length, 3);
  window.back();
  assert.equal(store.get().from, "-4h");
  window.back();
  assert.equal(store.get().from, "-1h");
});

test("another screen is an entry at once", () => {
  const window = fakeWindow("#/hosts");
  window.history.owner = window;
  const store = createStore(parseFragment("#/hosts"));
  tieToAddress({ store, window });
  store.patch({ screen: "explore" });
  assert.equal(window.location.hash, "#/explore");
  window.go("#/status/refused");
  assert.equal(store.get().screen, "status");
  assert.equal(store.get().arg, "refused");
});

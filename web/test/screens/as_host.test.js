import assert from "node:assert/strict";
import { test } from "node:test";
import { asOn, partsOf, withPart } from "../../src/screens/as_host.js";

test("what can be replaced are hosts, then other tags, then parts of paths", () => {
  const parts = partsOf([
    { id: "p0", series: ["shop.web1.orders;dc=fra", "g:host.cpu.busy_percent;{,*;}host=db1{,;*}"] },
    { id: "p1", expr: "sum by (dc) (rate({\"host.net.bytes\",host=\"db2\",device=~\"sda\"}[1m]))" },
  ]);
  assert.deepEqual(parts.slice(0, 4).map(({ tag, value }) => `${tag}=${value}`), ["host=db1", "host=db2", "dc=fra", "device=sda"]);
  assert.deepEqual(parts.slice(4).map(({ value }) => value), ["shop", "web1", "orders", "host", "cpu", "busy_percent"]);
});

test("a tag is replaced by the whole of its value, in names, globs and expressions", () => {
  const part = { tag: "host", value: "db1" };
  const as = (text) => withPart(text, part, "web2");
  assert.equal(as("a.b;dc=db1;host=db1;role=db"), "a.b;dc=db1;host=web2;role=db");
  assert.equal(as("a.b;host=db10"), "a.b;host=db10");
  assert.equal(as("a.b;vhost=db1"), "a.b;vhost=db1");
  assert.equal(as("g:a;{,*;}host=db1{,;*}"), "g:a;{,*;}host=web2{,;*}");
  assert.equal(as("g:a;*host=db1*"), "g:a;*host=web2*");
  assert.equal(as("rate({\"a\",host=\"db1\",x=\"db1\"}[1m])"), "rate({\"a\",host=\"web2\",x=\"db1\"}[1m])");
  assert.equal(withPart("g:a;host=db1", part, "x*"), "g:a;host=x[*]");
  assert.equal(withPart("a;host=d.1", { tag: "host", value: "d.1" }, "$&"), "a;host=$&");
});

test("a part of the path is replaced wherever it stands alone, and not in tags", () => {
  const part = { tag: "", value: "web1" };
  assert.equal(withPart("web1.cpu.web1;host=web1", part, "db"), "db.cpu.db;host=web1");
  assert.equal(withPart("g:shop.web1.*", part, "db"), "g:shop.db.*");
  assert.equal(withPart("shop.web12.a", part, "db"), "shop.web12.a");
  assert.equal(withPart("shop.web1.a", part, "$&"), "shop.$&.a");
  assert.equal(withPart("rate({\"shop.web1.a\"}[1m])", part, "db"), "rate({\"shop.db.a\"}[1m])");
});

test("a panel keeps what it is: view, id and the series that are hidden", () => {
  const panel = { id: "p3", title: "load of db1", series: ["a;host=db1"], hidden: ["a;host=db1"], view: "table" };
  assert.deepEqual(asOn(panel, { tag: "host", value: "db1" }, "web2"),
    { id: "p3", title: "load of web2", series: ["a;host=web2"], hidden: ["a;host=web2"], view: "table" });
});

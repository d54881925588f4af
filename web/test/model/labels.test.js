import assert from "node:assert/strict";
import {test} from "node:test";
import {labelsOf, nameOf} from "../../src/model/labels.js";
import {hostGlob, hostSections, hostSelector, judge, wantedOf} from "../../src/model/use.js";
import {isSelector, queriesOf} from "../../src/panel/queries.js";

test("a series that lacks the tag that tells the others apart has a label, too", () => {
  const of = (/** @type {string} */ tags) => `host.cgroup.tasks;${tags};host=a`;
  assert.deepEqual(labelsOf([of("cgroup=/ssh"), of("cgroup=/docker/1;container=web"), of("cgroup=/docker/2;container=db")]), ["/ssh", "/docker/1", "/docker/2"]);
});

test("labels are what tells the series of a panel apart", () => {
  assert.deepEqual(labelsOf(["host.cpu.busy_percent;host=a", "host.cpu.busy_percent;host=b"]), ["a", "b"]);
  assert.deepEqual(labelsOf(["host.net.bytes;device=eth0;direction=receive;host=a", "host.net.bytes;device=eth0;direction=transmit;host=a"]), ["receive", "transmit"]);
  assert.deepEqual(labelsOf(["host.memory.free_bytes;host=a", "host.memory.cached_bytes;host=a"]), ["free", "cached"]);
  assert.deepEqual(labelsOf(["a;dc=fra;host=x;role=web", "a;dc=ams;host=y;role=db"]), ["x", "y"]);
  assert.deepEqual(labelsOf(["shop.orders"]), ["shop.orders"]);
  assert.deepEqual(labelsOf(["a.b", "a.b.c"]), ["b", "c"]);
  assert.deepEqual(labelsOf([]), []);
});

test("names of expressions are made of their labels", () => {
  assert.equal(nameOf({labels: {__name__: "cpu", host: "a", dc: "b"}}), "cpu;dc=b;host=a");
  assert.equal(nameOf({labels: {mode: "user"}}), "mode=user".replace(/^/, ";"));
});

test("selectors of a host", () => {
  assert.equal(hostGlob("host.block.bytes", "db3.example.org", {op: "read"}), "g:host.block.bytes;{,*;}host=db3.example.org;{,*;}op=read{,;*}");
  assert.equal(hostGlob("a", "we*ird[1]"), "g:a;{,*;}host=we[*]ird[[]1]{,;*}");
  assert.equal(hostSelector("host.up", "a\"b"), "{\"host.up\",host=\"a\\\"b\"}");
});

test("only expressions that are buckets take several statistics", () => {
  for (const expr of ["{\"host.up\",host=\"a}b\"}", "cpu{host=\"web1\"}", "cpu", "sum by (dc) (buckets_over_time(x[5m]))"]) assert.ok(isSelector(expr), expr);
  for (const expr of ["rate(hits[5m])", "sum(cpu)", "{\"a\"} + {\"b\"}", "1"]) assert.ok(!isSelector(expr), expr);
});

test("values are judged by their limit", () => {
  assert.equal(judge("utilisation", 79.9), "ok");
  assert.equal(judge("utilisation", 80), "warn");
  assert.equal(judge("disk", 97e6), "bad");
  assert.equal(judge("errors", 0), "ok");
  assert.equal(judge("errors", 0.01), "warn");
  assert.equal(judge("errors", 1), "bad");
  assert.equal(judge("lag", null), "");
});

test("panels of a host have unique ids, and say why there is nothing", () => {
  const facts = {host: "a", devices: ["vda"], interfaces: ["eth0"], collectors: {pmu: "unavailable: no PMU"}, has: (/** @type {string} */ path, /** @type {Record<string, string>} */ tags) => path.startsWith("host.cpu.") || path === "host.block.latency_ns" && tags.op === "read"};
  const sections = hostSections(facts);
  assert.deepEqual(sections.map((section) => section.id), ["cpu", "memory", "disk", "network", "tcp", "cgroups"]);
  const panels = sections.flatMap((section) => section.panels);
  assert.equal(new Set(panels.map((panel) => panel.id)).size, panels.length);
  assert.equal(panels.find((panel) => panel.id === "cpu-ipc")?.note, "pmu: unavailable: no PMU");
  assert.equal(panels.find((panel) => panel.id === "cpu-busy")?.note, undefined);
  assert.equal(panels.find((panel) => panel.id === "disk-read")?.note, undefined);
  assert.equal(panels.find((panel) => panel.id === "disk-write")?.note, "host.block.latency_ns is not among the series of this host");
  for (const panel of panels) {
    assert.ok(wantedOf(panel).length > 0, panel.id);
    const queries = queriesOf(panel, {from: 0, until: 3600, now: 3600, zone: "UTC"}, 600, {kinds: new Set(), hosts: [], series: 0, gaps: false});
    assert.ok(queries.every((query) => !String(query.expr ?? "").includes("$step")), panel.id);
  }
});

test("a host whose agent reports filesystems has a section for them", () => {
  const facts = {host: "a", devices: ["vda"], interfaces: ["eth0"], collectors: {}, has: (/** @type {string} */ path) => !path.startsWith("host.files.")};
  const sections = hostSections(facts);
  assert.deepEqual(sections.map((section) => section.id), ["cpu", "memory", "disk", "filesystems", "network", "tcp", "cgroups"]);
  const panels = sections.flatMap((section) => section.panels);
  assert.equal(new Set(panels.map((panel) => panel.id)).size, panels.length);
  assert.deepEqual(sections[3].panels.map((panel) => panel.id), ["fs-used", "fs-available", "fs-inodes", "fs-faults"]);
  for (const id of ["cpu-blocked", "cpu-programs", "cpu-processes", "mem-committed", "mem-programs", "tcp-connections", "tcp-queue"]) assert.ok(panels.some((panel) => panel.id === id && !panel.note), id);
  assert.ok(!hostSections({...facts, has: null}).some((section) => section.id === "filesystems"), "while nothing is known, there is no gap that closes later");
});

test("a device that is alone is not in labels of different paths", () => {
  assert.deepEqual(labelsOf(["host.block.errors;device=vda;host=a;op=read", "host.block.errors;device=vda;host=a;op=write", "host.block.requeues;host=a"]), ["errors read", "errors write", "requeues"]);
});

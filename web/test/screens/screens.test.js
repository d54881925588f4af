import assert from "node:assert/strict";
import { test } from "node:test";
import { spansAfter } from "../../src/model/changes.js";
import { neighboursOf } from "../../src/model/neighbours.js";
import { matchOfEvent } from "../../src/screens/event_changes.js";
import { checkDashboard, differences, expanded, merged, replaced, specOf, valuesOf } from "../../src/screens/dashboard_model.js";
import { panelsOf, withPanels } from "../../src/screens/explore_url.js";
import { filtered, grouped, kAsks, kColumns, regularPart, rowsOf, sorted } from "../../src/screens/hosts_model.js";
import { linesOfMap } from "../../src/screens/hosts_map.js";
import { linesOf } from "../../src/parts/name_tree.js";
import { piecesOf } from "../../src/parts/name.js";
import { toCsv } from "../../src/parts/output.js";
import { kRowsMax, rowsInView } from "../../src/parts/virtual_list.js";
import { formatFragment, parseFragment } from "../../src/state/url.js";

const host = (name, more = {}) => ({ host: name, series: 3, last_s: 100, up: true, tags: {}, agent: null, collectors: {}, ...more });
const table = (rows) => ({
  columns: kAsks, rows: Object.entries(rows).map(([row, values]) => ({ row, values: kAsks.map((ask) => values[ask] ?? null) })),
});

test("the table of hosts needs no more columns than the server answers at once", () => {
  assert.ok(kAsks.length <= 16);
});

test("cells are in the units of their columns, and judged", () => {
  const [row] = rowsOf([host("a")], table({ a: {
    "host.cpu.busy_percent:avg": 97, "host.block.busy_ns:rate:max": 9e8, "host.block.latency_ns:p99": 82e6,
    "host.memory.available_bytes:avg": 25, "host.memory.total_bytes:avg": 100,
  } }), new Map());
  const cell = (id) => row.cells[kColumns.findIndex((column) => column.id === id)];
  assert.deepEqual(cell("cpu.u"), { value: 97, grade: "bad" });
  assert.deepEqual(cell("disk.u"), { value: 90, grade: "warn" });
  assert.deepEqual(cell("disk.s"), { value: 82e6, grade: "bad" });
  assert.deepEqual(cell("memory.u"), { value: 75, grade: "ok" });
  assert.deepEqual(cell("network.e"), { value: null, grade: "" });
  assert.equal(row.grade, "bad");
});

test("a host that is away has no values, and is bad", () => {
  const [row] = rowsOf([host("a", { up: false })], table({ a: { "host.cpu.busy_percent:avg": 5 } }), new Map());
  assert.equal(row.grade, "bad");
  assert.ok(row.cells.every((cell) => cell.value === null));
});

test("worst first: saturation before utilisation, then the fullest; ties by name with numbers", () => {
  const rows = rowsOf(["calm10", "calm9", "busy", "slow", "warm"].map((name) => host(name)), table({
    busy: { "host.cpu.busy_percent:avg": 99 }, slow: { "host.block.latency_ns:p99": 1e9 }, warm: { "host.cpu.busy_percent:avg": 85 },
    calm9: { "host.cpu.busy_percent:avg": 10 }, calm10: { "host.cpu.busy_percent:avg": 10 },
  }), new Map());
  assert.deepEqual(sorted(rows, "worst").map((row) => row.host.host), ["slow", "busy", "warm", "calm9", "calm10"]);
  assert.deepEqual(sorted(rows, "name").map((row) => row.host.host), ["busy", "calm9", "calm10", "slow", "warm"]);
  assert.equal(sorted(rows, "cpu.u")[0].host.host, "busy");
});

test("filters are tags, states and parts of names", () => {
  const rows = rowsOf([host("web1", { tags: { role: "web" } }), host("db1", { tags: { role: "db" }, up: false })], null, new Map());
  const names = (filter) => filtered(rows, filter).map((row) => row.host.host);
  assert.deepEqual(names(""), ["web1", "db1"]);
  assert.deepEqual(names("role=web"), ["web1"]);
  assert.deepEqual(names("role=d*"), ["db1"]);
  assert.deepEqual(names("WEB"), ["web1"]);
  assert.deepEqual(names("is=away"), ["db1"]);
  assert.deepEqual(names("1 role=db"), ["db1"]);
  assert.deepEqual(names("constructor=x"), []);
});

test("groups are by tag, or by the regular part of the name", () => {
  const rows = rowsOf([host("web1.x"), host("web12.x", { tags: { dc: "fra" } }), host("db3")], null, new Map());
  assert.deepEqual(grouped(rows, "name").map((group) => [group.label, group.rows.length]), [["db", 1], ["web", 2]]);
  assert.deepEqual(grouped(rows, "dc").map((group) => group.label), ["fra", "no dc"]);
  assert.equal(regularPart("10.0.0.1"), "10.0.0.1");
});

test("panels of Explore survive the URL", () => {
  const link = "#/explore?p0=a;x%3Dy&p0=b&p0.b=off&p0.st=avg,p99&p0.y=log&p1=g:c.*&p2.e=sum(x)";
  const route = parseFragment(link);
  const panels = panelsOf(route);
  assert.deepEqual(panels, [
    { id: "p0", series: ["a;x=y", "b"], stats: ["avg", "p99"], band: "off", scale: "log" }, { id: "p1", series: ["g:c.*"] }, { id: "p2", expr: "sum(x)" },
  ]);
  assert.equal(formatFragment({ ...route, own: withPanels(route, panels) }), link);
  const swapped = { ...route, own: withPanels(route, [panels[1], panels[0]]) };
  assert.deepEqual(panelsOf(swapped).map((panel) => panel.series), [["g:c.*"], ["a;x=y", "b"]]);
});

test("a part of the tree may be a series, a branch and have tags", () => {
  const lines = linesOf("a.", 1, [{ part: "b", series: 9, branch: true, tags: true, kind: "gauge" }, { part: "c", series: 1, kind: "event" }]);
  assert.deepEqual(lines.map((line) => [line.key, line.prefix, line.kind]), [["a.b.", "a.b.", ""], ["a.b;", "a.b;", "gauge"], ["a.c", "", "event"]]);
});

test("a name is cut at hits and at its tags, and no text is lost", () => {
  const name = "host.cpu;host=web1";
  const pieces = piecesOf(name, [[5, 8], [14, 30]]);
  assert.equal(pieces.map((piece) => piece.text).join(""), name);
  assert.deepEqual(pieces.filter((piece) => piece.isHit).map((piece) => piece.text), ["cpu", "web1"]);
  assert.ok(pieces.filter((piece) => piece.isTag).map((piece) => piece.text).join("").startsWith(";"));
});

test("CSV quotes what needs it, and disarms what a spreadsheet would compute", () => {
  assert.equal(toCsv([["a,b", "c\"d", "=1+1", -2, null]]), "\"a,b\",\"c\"\"d\",'=1+1,-2,\r\n");
});

test("a list makes the rows around its view, and never more than its limit", () => {
  assert.deepEqual(rowsInView({ count: 5, rowHeight: 10, top: 0, height: 500 }), [0, 5]);
  const [begin, end] = rowsInView({ count: 1e6, rowHeight: 30, top: 3e6, height: 900 });
  assert.ok(begin <= 1e5 && end >= 1e5 + 30 && end - begin < 100);
  const [first, last] = rowsInView({ count: 1e6, rowHeight: 1, top: 0, height: 1e5 });
  assert.equal(last - first, kRowsMax);
  assert.deepEqual(rowsInView({ count: 0, rowHeight: 10, top: 0, height: 100 }), [0, 0]);
});

test("faults of a dashboard say where they are", () => {
  const faults = checkDashboard({ format: 1, title: "x", panels: [{ at: [8, 0, 6, 1], series: [""] }, { at: [0, 0, 6, 1] }, { at: [0, 0, 6, 1], kind: "pie", series: ["a"] }] });
  assert.deepEqual(faults.map((fault) => fault.at), ["/panels/0/at", "/panels/0/series/0", "/panels/1/series", "/panels/2/kind"]);
  assert.equal(checkDashboard([])[0].at, "/");
});

test("variables are replaced, and repeat panels", () => {
  assert.equal(replaced("a.$host.b.$other", { host: "w" }), "a.w.b.$other");
  const panel = { at: [0, 0, 6, 2], title: "CPU", series: ["cpu;*host=$host*"], repeat: "host", y: "log" };
  assert.deepEqual(expanded(panel, 3, { host: "all" }, { host: ["a", "b"] }).map(({ spec }) => [spec.id, spec.title, spec.series?.[0]]),
    [["d3-0", "CPU · a", "g:cpu;*host=a*"], ["d3-1", "CPU · b", "g:cpu;*host=b*"]]);
  assert.deepEqual(specOf(panel, "d0", { host: "all" }).series, ["g:cpu;*host=**"]);
  assert.equal(specOf(panel, "d0", {}).scale, "log");
  const vars = [{ name: "host", from: "tag:host" }, { name: "text", from: "" }];
  assert.deepEqual(valuesOf(vars, (name) => name === "text" ? "u" : "", { host: ["a"] }), { host: "a", text: "u" });
});

test("keeping both versions keeps all panels", () => {
  const common = { at: [0, 0, 6, 1], series: ["a"], title: "a" };
  const mine = { format: 1, title: "m", panels: [common, { at: [6, 0, 6, 1], series: ["b"], title: "b" }] };
  const theirs = { format: 1, title: "t", panels: [common, { at: [6, 0, 6, 1], series: ["c"], title: "c" }] };
  assert.deepEqual(differences(mine, theirs), { onlyMine: ["b"], onlyTheirs: ["c"] });
  assert.deepEqual(merged(mine, theirs).panels.map((panel) => panel.title), ["a", "c", "b"]);
  assert.deepEqual(checkDashboard(merged(mine, theirs)), []);
});

test("a panel that was only moved is no difference, and a second one like it is", () => {
  const a = { at: [0, 0, 6, 1], series: ["a"], title: "a" };
  const b = { at: [6, 0, 6, 1], series: ["b"], title: "b" };
  const theirs = { format: 1, title: "t", panels: [a, b] };
  const mine = { format: 1, title: "m", panels: [{ ...b, at: [0, 0, 6, 1] }, { ...a, at: [6, 0, 6, 1] }, { ...a, at: [0, 1, 6, 1] }] };
  assert.deepEqual(differences(mine, theirs), { onlyMine: ["a"], onlyTheirs: [] });
  assert.deepEqual(merged(mine, theirs).panels.map((panel) => panel.title), ["a", "b", "a"]);
});

test("a map has headings, and rows of as many squares as fit", () => {
  const rows = rowsOf(["a1", "a2", "a3", "b1"].map((name) => host(name)), null, new Map());
  assert.deepEqual(linesOfMap(grouped(rows, "name"), 2).map((line) => "rows" in line ? line.rows.length : line.label), ["a", 2, 1, "b", 1]);
  assert.deepEqual(linesOfMap([], 2), []);
});

test("what changed is looked for in the host of a series, else where its path begins", () => {
  assert.equal(neighboursOf("host.cpu.busy_percent;dc=fra;host=web1.example.org;role=web"), "{host=\"web1.example.org\"}");
  assert.equal(neighboursOf("g:host.cpu.busy_percent;*host=db3.x*"), "{host=~\"db3[.]x.*\"}");
  assert.equal(neighboursOf("shop.orders"), "{__name__=~\"shop([.].*)?\"}");
  assert.equal(neighboursOf("g:host.cpu.*"), "{__name__=~\"host([.].*)?\"}");
});

test("an event is compared over the series of the one host that it names", () => {
  assert.equal(matchOfEvent("host=web1"), '{host="web1"}');
  assert.equal(matchOfEvent("{host=db3.example.org,*;host=db3.example.org}{,;*}"), '{host="db3.example.org"}');
  assert.equal(matchOfEvent("cpu;host=web1;role=web"), '{host="web1"}');
  for (const several of ["", "host=web*", "host={web1,web2}", "host=web[12]", "ghost=web1", "shop.*"]) assert.equal(matchOfEvent(several), "", several);
});

test("an event is compared with no more time than has passed since", () => {
  const labels = (/** @type {any[]} */ spans) => spans.map((one) => `${one.label}${one.isUsual ? "*" : ""}`.replace(/\s/g, " "));
  assert.deepEqual(labels(spansAfter(1000, null, 1000 + 7200)), ["5 min", "15 min*", "1 h"]);
  assert.deepEqual(labels(spansAfter(1000, null, 1000 + 600)), ["5 min*"]);
  assert.deepEqual(labels(spansAfter(1000, null, 1000 + 90)), ["1 min 30 s*"]);
  assert.deepEqual(spansAfter(1000, null, 990).map((one) => one.seconds), [20]);
  assert.deepEqual(labels(spansAfter(1000, 1000 + 1200, 1000 + 7200)), ["5 min", "15 min", "20 min, while it lasted*", "1 h"]);
  assert.deepEqual(labels(spansAfter(1000, 1000 + 1200, 1000 + 700)), ["5 min", "11 min, while it lasted*"]);
});

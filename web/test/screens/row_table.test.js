import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDashboard, isNote, nameOf } from "../../src/screens/dashboard_model.js";
import { askOf, columnsOf, nextSort } from "../../src/screens/row_table.js";

const panel = (more) => ({ at: [0, 0, 12, 3], kind: "table", row: "tag:host", columns: ["host.cpu.busy_percent:avg"], ...more });
const faults = (one) => checkDashboard({ format: 1, title: "x", panels: [one] }).map(({ at, error }) => `${at} ${error}`);

test("columns have a title and a unit of their own, or those of their series and statistic", () => {
  const of = (column) => {
    const [one] = columnsOf(panel({ columns: [column] }), {});
    return [one.title, one.unit.id];
  };
  assert.deepEqual(of("host.cpu.busy_percent:avg"), ["cpu.busy_percent avg", "percent"]);
  assert.deepEqual(of("host.block.busy_ns:rate:max"), ["block.busy_ns rate", "ns_share"]);
  assert.deepEqual(of("host.block.latency_ns:p99.9"), ["block.latency_ns p99.9", "ns"]);
  assert.deepEqual(of("{\"host.net.bytes\",device=\"a:max\"}:rate:sum")[1], "bytes_per_second");
  assert.deepEqual(of("a.max:max"), ["a.max max", "none"]);
  assert.deepEqual(of("host.block.latency_ns:count")[1], "none");
  assert.deepEqual(of({ column: "a.b:avg", title: "mine", unit: "cores" }), ["mine", "cores"]);
  assert.equal(columnsOf(panel({ columns: [{ column: "$what:avg", title: "of $what" }] }), { what: "all" })[0].title, "of all");
});

test("a table asks what its panel says, with the values of variables", () => {
  const one = panel({ match: "*;{,*;}host=$host{,;*}", sort: "-0", spark: "0", row: "tag:cgroup" });
  assert.deepEqual(askOf(one, { host: "web1" }, ""), {
    row: "tag:cgroup", column: ["host.cpu.busy_percent:avg"], match: "*;{,*;}host=web1{,;*}", sort: "-0", limit: 200, spark: "0:40",
  });
  assert.equal(askOf(one, { host: "all" }, "").match, "*;{,*;}host=*{,;*}");
  assert.equal(askOf(one, {}, "row").sort, "row");
  assert.deepEqual(askOf(panel({}), {}, ""), { row: "tag:host", column: ["host.cpu.busy_percent:avg"], sort: "row", limit: 200 });
});

test("a heading sorts by the greatest first, then by the least; rows by name", () => {
  assert.equal(nextSort("row", "1"), "-1");
  assert.equal(nextSort("-1", "1"), "1");
  assert.equal(nextSort("1", "1"), "-1");
  assert.equal(nextSort("-1", "row"), "row");
  assert.equal(nextSort("row", "row"), "-row");
});

test("a table with rows needs columns and no series; other tables need series", () => {
  assert.deepEqual(faults(panel({})), []);
  assert.deepEqual(faults(panel({ columns: undefined })), ["/panels/0/columns a table with rows has columns"]);
  assert.deepEqual(faults(panel({ columns: ["a:avg", " "] })), ["/panels/0/columns/1 a column is a text, as host.cpu.busy_percent:avg"]);
  assert.deepEqual(faults(panel({ columns: Array(17).fill("a:avg") })), ["/panels/0/columns at most 16 columns"]);
  assert.deepEqual(faults(panel({ sort: 1 })), ["/panels/0/sort sort is a text"]);
  assert.deepEqual(faults(panel({ row: "" })), ["/panels/0/series a panel has series or expr"]);
  assert.ok(isNote(panel({})));
  assert.ok(!isNote(panel({ row: "" })));
  assert.equal(nameOf(panel({})), "table");
});

import assert from "node:assert/strict";
import {test} from "node:test";
import {endingOf, pathOf, totalUnit, unitOf} from "../../src/model/units.js";

test("the ending of the path says the unit", () => {
  assert.equal(endingOf("host.memory.free_bytes;host=a_ns"), "bytes");
  assert.equal(endingOf("host.cpu.busy_percent"), "percent");
  assert.equal(endingOf("process.uptime_seconds"), "s");
  assert.equal(endingOf("shop.orders"), "");
  assert.equal(pathOf("a.b;c=d"), "a.b");
});

test("the sender's unit wins over the ending, the panel's choice over both", () => {
  assert.equal(unitOf("a_bytes", "gauge", {given: "ms"}).id, "ms");
  assert.equal(unitOf("a_bytes", "gauge", {given: "ms", chosen: "percent"}).id, "percent");
  assert.equal(unitOf("a_bytes", "gauge", {given: "ms", chosen: "auto"}).id, "ms");
  assert.equal(unitOf("room.heat", "gauge", {given: "celsius"}).suffix, "°C");
  assert.equal(unitOf("room.heat", "gauge", {given: "furlongs"}).suffix, "furlongs");
  assert.equal(unitOf("a", "gauge", {given: "__proto__"}).suffix, "__proto__");
});

test("events are per second, those of time are cores or a share of it", () => {
  assert.equal(unitOf("host.net.bytes", "event", {bits: true}).suffix, "bit/s");
  assert.equal(unitOf("host.cpu.time_ns", "event").suffix, "cores");
  assert.equal(unitOf("host.psi.stalled_ns", "event").suffix, "%");
  assert.equal(unitOf("host.cgroup.cpu_throttled_ns", "event").suffix, "s/s");
  assert.equal(unitOf("shop.orders", "counter").suffix, "/s");
});

test("sums of rates are amounts", () => {
  assert.equal(totalUnit(unitOf("host.net.bytes", "event")).suffix, "B");
  assert.equal(totalUnit(unitOf("host.cpu.time_ns", "event")).id, "ns");
  assert.equal(totalUnit(unitOf("shop.orders", "event")).id, "none");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { containersOf } from "../../src/screens/host_facts.js";

test("cgroups that are containers have the names of their pods and of themselves", () => {
  const of = (name) => ({ name, kind: "gauge", unit: "", last: 0 });
  const names = containersOf([
    of("host.cgroup.tasks;cgroup=/docker/1;container=web;host=a"), of("host.cgroup.tasks;cgroup=/system.slice;host=a"),
    of("host.cgroup.tasks;cgroup=/kubepods/2;container=db;host=a;namespace=prod;pod=shop-1"), of("shop.orders;cgroup=/x;container=no;host=a"),
  ]);
  assert.deepEqual([...names], [["/docker/1", "web"], ["/kubepods/2", "prod/shop-1/db"]]);
});

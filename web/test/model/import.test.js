import assert from "node:assert/strict";
import {test} from "node:test";
import {importGraphite, isGraphite, meaningOf, parseTarget} from "../../src/model/graphite_import.js";
import {importIstatd, isIstatd, savedIn} from "../../src/model/istatd_import.js";

const kSaved = {size: {width: 600, height: 240}, autoRefresh: true, timeInterval: 21600, timeSlider: 4, sizeDropdown: 1,
  graphs: [["web.requests", "*web.logins"], ["host.web1.cpu"], []], formats: [4, 2, 1]};

test("a dashboard of istatd keeps graphs, formats and range", () => {
  assert.ok(isIstatd(kSaved));
  const {dashboard, left} = importIstatd(kSaved, "web");
  assert.equal(dashboard.title, "web");
  assert.deepEqual(dashboard.time, {from: "-6h"});
  assert.deepEqual(dashboard.panels, [
    {at: [0, 0, 6, 2], series: ["web.requests", "web.logins"], view: "stack"}, {at: [6, 0, 6, 2], series: ["host.web1.cpu"], band: "sd"},
  ]);
  assert.deepEqual(left, ["graph 3: it has no series"]);
});

test("settings of istatd hold several dashboards", () => {
  const settings = {"dashboard.a": JSON.stringify(kSaved), "dashboard.b": "{", "user.x": "{}", "dashboard.gone": ""};
  assert.deepEqual(savedIn(settings).map(({name, value}) => [name, value !== null]), [["a", true], ["b", false]]);
  const {dashboard, left} = importIstatd(settings);
  assert.equal(dashboard.title, "a");
  assert.deepEqual(left, ["graph 3: it has no series", "dashboard b: import it by itself"]);
});

test("what is no dashboard says so", () => {
  for (const wrong of [null, 1, "x", [], {}, {graphs: 3}, {graphs: [1]}]) {
    assert.deepEqual(importIstatd(wrong).dashboard.panels, []);
    assert.ok(!isGraphite(wrong));
    assert.deepEqual(importGraphite(wrong).dashboard.panels, []);
  }
});

test("targets of Graphite become series and expressions", () => {
  /** @type {[string, any][]} */
  const golden = [
    ["web.requests", {series: "web.requests"}],
    ["web.*.{a,b}.load", {series: "g:web.*.{a,b}.load"}],
    ["alias(web.requests, 'all (of it)')", {series: "web.requests", title: "all (of it)"}],
    ["sumSeries(web.*.load)", {expr: "sum({__graphite__=\"web.*.load\"})"}],
    ["alias(scale(averageSeries(a.b,c.*), 0.125), \"bytes\")", {expr: "avg({\"a.b\"} or {__graphite__=\"c.*\"}) * 0.125", title: "bytes"}],
    ["highestMax(web.*.load, 5)", {expr: "topk(5, {__graphite__=\"web.*.load\"})"}],
    ["perSecond(web.hits)", {expr: "rate({\"web.hits\"}[$step])"}],
    ["divideSeries(a.b, c.d)", {expr: "{\"a.b\"} / ignoring(__name__) {\"c.d\"}"}],
    ["holtWintersForecast(a.b)", "holtWintersForecast"],
    ["sumSeries(movingAverage(a.b, 10))", "movingAverage"],
  ];
  for (const [target, want] of golden) {
    const node = parseTarget(target);
    assert.ok(node, target);
    const meaning = meaningOf(node);
    assert.deepEqual(typeof meaning === "string" ? meaning : JSON.parse(JSON.stringify(meaning)), want, target);
  }
  for (const wrong of ["", "f(", "f(a", "f(a))", "f('a", "a b", "x".repeat(5000), "f(".repeat(100) + ")".repeat(100)]) assert.equal(parseTarget(wrong), null, wrong.slice(0, 20));
});

test("a dashboard of Graphite names what it leaves out", () => {
  const json = {name: "web", timeConfig: {type: "relative", relativeStartQuantity: "2", relativeStartUnits: "Days"}, defaultGraphParams: {from: "-2hours"}, graphs: [
    ["target=web.a", {target: ["web.a", "web.*.b", "sumSeries(web.*.c)"], title: "load", areaMode: "stacked", yMin: "0", yMax: "10"}, "/render?…"],
    ["x", {target: ["timeStack(a.b)", "constantLine(3)"]}, ""],
  ]};
  assert.ok(isGraphite(json));
  const {dashboard, left} = importGraphite(json);
  assert.deepEqual(dashboard.time, {from: "-2d"});
  assert.deepEqual(dashboard.panels, [
    {series: ["web.a", "g:web.*.b"], title: "load", view: "stack", limits: [0, 10], at: [0, 0, 6, 2]},
    {expr: "sum({__graphite__=\"web.*.c\"})", title: "load", view: "stack", limits: [0, 10], at: [6, 0, 6, 2]},
  ]);
  assert.deepEqual(left, ["graph 2: timeStack of timeStack(a.b)", "graph 2: a text or number alone of constantLine(3)"]);
});

test("names like those of objects are names", () => {
  const {dashboard} = importIstatd({graphs: [["__proto__", "constructor"]]});
  assert.deepEqual(dashboard.panels[0].series, ["__proto__", "constructor"]);
  const node = parseTarget("constructor(a.b)");
  assert.equal(node && meaningOf(node), "constructor");
});

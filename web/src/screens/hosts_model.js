// What the Hosts screen shows of each host: columns, how good each value is, filter, order and groups. Pure.

import { judge } from "../model/use.js";
import { own } from "../state/url.js";

/** @typedef {import("../data/hosts.js").Host} Host */
/** @typedef {import("../parts/badge.js").Grade} Grade */

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} group resource: `cpu`, `memory`, `disk`, `network`, `tcp`, `agent`
 * @property {"U"|"S"|"E"|""} letter
 * @property {string} label short heading
 * @property {string} short one or two words after the resource: `latency`
 * @property {string} title what it is, in words
 * @property {string[]} asks columns of /api/v1/table that it is worked out of
 * @property {(values: (number|null)[]) => number|null} value
 * @property {string} unit of model/units.js
 * @property {number} [digits]
 * @property {import("../model/use.js").Limit|""} limit that judges it
 * @property {boolean} [bar] drawn as a share of 100 too
 */

/** @param {(number|null)[]} values */
const first = ([value]) => value ?? null;
/** A rate of nanoseconds per second as percent of time. @param {(number|null)[]} values */
const share = ([value]) => value === null || value === undefined ? null : value / 1e7;

/** @type {Column[]} */
export const kColumns = [
  { id: "cpu.u", group: "cpu", letter: "U", label: "U", short: "busy", title: "CPU busy", asks: ["host.cpu.busy_percent:avg"], value: first,
    unit: "percent", digits: 0, limit: "utilisation", bar: true },
  { id: "cpu.s", group: "cpu", letter: "S", label: "S", short: "wait", title: "wait for a CPU, p99", asks: ["host.sched.runqueue_wait_ns:p99"],
    value: first, unit: "ns", digits: 2, limit: "wait" },
  { id: "memory.u", group: "memory", letter: "U", label: "U", short: "in use", title: "memory in use",
    asks: ["host.memory.available_bytes:avg", "host.memory.total_bytes:avg"],
    value: ([free, all]) => free === null || !all ? null : 100 * (1 - free / all), unit: "percent", digits: 0,
    limit: "utilisation", bar: true },
  { id: "memory.s", group: "memory", letter: "S", label: "S", short: "pressure", title: "time in which tasks waited for memory",
    asks: ["{\"host.psi.stalled_ns\",resource=\"memory\",type=\"some\"}:rate"], value: share, unit: "percent", digits: 2,
    limit: "pressure" },
  { id: "memory.e", group: "memory", letter: "E", label: "E", short: "kills", title: "tasks killed for lack of memory",
    asks: ["host.memory.oom_kills:rate"], value: first, unit: "per_second", digits: 2, limit: "errors" },
  { id: "disk.u", group: "disk", letter: "U", label: "U", short: "busy", title: "busiest disk", asks: ["host.block.busy_ns:rate:max"], value: share,
    unit: "percent", digits: 0, limit: "utilisation", bar: true },
  { id: "disk.s", group: "disk", letter: "S", label: "S", short: "latency", title: "latency of requests, p99", asks: ["host.block.latency_ns:p99"],
    value: first, unit: "ns", digits: 2, limit: "disk" },
  { id: "disk.e", group: "disk", letter: "E", label: "E", short: "errors", title: "requests with errors", asks: ["host.block.errors:rate"],
    value: first, unit: "per_second", digits: 2, limit: "errors" },
  { id: "network.u", group: "network", letter: "U", label: "U", short: "traffic", title: "bytes received and sent", asks: ["host.net.bytes:rate"],
    value: first, unit: "bytes_per_second", digits: 2, limit: "" },
  { id: "network.s", group: "network", letter: "S", label: "S", short: "drops", title: "dropped packets", asks: ["host.net.drops:rate"], value: first,
    unit: "per_second", digits: 2, limit: "" },
  { id: "network.e", group: "network", letter: "E", label: "E", short: "errors", title: "packets with errors", asks: ["host.net.errors:rate"],
    value: first, unit: "per_second", digits: 2, limit: "errors" },
  { id: "tcp.s", group: "tcp", letter: "S", label: "retr", short: "retransmits", title: "segments sent again", asks: ["host.tcp.retransmits:rate"],
    value: first, unit: "per_second", digits: 2, limit: "" },
  { id: "tcp.p99", group: "tcp", letter: "", label: "p99", short: "connect", title: "time to connect, p99", asks: ["host.tcp.connect_ns:p99"],
    value: first, unit: "ns", digits: 2, limit: "" },
];

/** @type {Record<string, string>} */
export const kGroupLabels = { cpu: "CPU", memory: "Memory", disk: "Disk", network: "Network", tcp: "TCP", agent: "Agent" };

/** The columns that the table is asked for, each once. */
export const kAsks = [...new Set(kColumns.flatMap((column) => column.asks))];

export const kTableMax = 200;  // hosts; above, the map is the default

/**
 * How hosts are shown. Links of earlier versions have `m` and `t`.
 * @param {string} key of the URL @param {number} hosts
 * @returns {"map"|"table"}
 */
export function viewIs(key, hosts) {
  if (key === "map" || key === "m") return "map";
  if (key === "table" || key === "t") return "table";
  return hosts > kTableMax ? "map" : "table";
}

/** Resources whose columns a user has hidden; the agent's always stays. @param {import("../state/url.js").Route} route */
export function hiddenGroups(route) {
  return new Set(own(route, "x").split(",").filter((group) => group !== "agent" && Object.hasOwn(kGroupLabels, group)));
}

/** @typedef {{value: number|null, grade: ""|Grade}} CellValue */

/**
 * @typedef {object} HostRow
 * @property {Host} host
 * @property {CellValue[]} cells one for each of kColumns
 * @property {CellValue} lag of the agent, in seconds
 * @property {Grade} grade the worst of all
 * @property {number} worst index of the worst column, -1 if none is
 * @property {(number|null)[]} spark
 */

const kRanks = { "": 0, ok: 1, warn: 2, bad: 3 };

/**
 * @param {Host[]} hosts
 * @param {{columns: string[], rows: {row: string, values: (number|null)[]}[]}|null} table
 * @param {Map<string, (number|null)[]>} sparks
 * @returns {HostRow[]}
 */
export function rowsOf(hosts, table, sparks) {
  const at = new Map((table?.columns ?? []).map((name, i) => [name, i]));
  const places = kColumns.map((column) => column.asks.map((ask) => at.get(ask) ?? -1));
  const values = new Map((table?.rows ?? []).map((row) => [row.row, row.values]));
  return hosts.map((host) => {
    const own = host.up ? values.get(host.host) ?? [] : [];
    const cells = kColumns.map((column, i) => {
      const value = column.value(places[i].map((place) => own[place] ?? null));
      return { value, grade: column.limit === "" ? /** @type {""} */ ("") : judge(column.limit, value) };
    });
    const behind = host.up ? host.agent?.behind_s ?? null : null;
    const lag = { value: behind, grade: judge("lag", behind) };
    let worst = -1;
    /** @type {Grade} */
    let grade = host.up ? "ok" : "bad";
    cells.forEach((cell, i) => {
      if (kRanks[cell.grade] > kRanks.ok && (worst < 0 || kRanks[cell.grade] > kRanks[cells[worst].grade])) worst = i;
    });
    for (const cell of [...cells, lag]) if (kRanks[cell.grade] > kRanks[grade]) grade = /** @type {Grade} */ (cell.grade);
    return { host, cells, lag, grade, worst, spark: sparks.get(host.host) ?? [] };
  });
}

/** Worst first: ✕, then △, then saturation, then utilisation; names last. @param {HostRow} row */
function badness(row) {
  const count = (/** @type {string} */ grade, /** @type {string} */ letter) =>
    row.cells.filter((cell, i) => cell.grade === grade && kColumns[i].letter === letter).length;
  const peak = Math.max(0, ...row.cells.filter((_, i) => kColumns[i].letter === "U" && kColumns[i].bar).map((cell) => cell.value ?? 0));
  return [
    kRanks[row.grade], row.host.up ? 1 : 0, count("bad", "S") + count("bad", "E"), count("bad", "U"), count("warn", "S") + count("warn", "E"),
    count("warn", "U"), peak,
  ];
}

// One collator for all comparisons: localeCompare with options makes a new one each time, 100 times slower.
const kCollator = new Intl.Collator("en", { numeric: true });

/** `web2` before `web10`. @param {string} a @param {string} b */
export function byName(a, b) {
  return kCollator.compare(a, b);
}

/**
 * @param {HostRow[]} rows
 * @param {string} order `worst`, `name`, `lag`, or the id of a column; with `-` in front the other way round
 * @returns {HostRow[]}
 */
export function sorted(rows, order) {
  const isReverse = order.startsWith("-");
  const by = isReverse ? order.slice(1) : order;
  const column = kColumns.findIndex((one) => one.id === by);
  /** @type {(a: HostRow, b: HostRow) => number} */
  let compare;
  if (by === "name") compare = (a, b) => byName(a.host.host, b.host.host);
  else if (by === "series") compare = (a, b) => b.host.series - a.host.series;
  else if (by === "lag" || column >= 0) {
    const value = (/** @type {HostRow} */ row) => by === "lag" ? row.lag.value : row.cells[column].value;
    compare = (a, b) => (value(b) ?? -Infinity) - (value(a) ?? -Infinity);
  } else {
    const keys = new Map(rows.map((row) => [row, badness(row)]));
    compare = (a, b) => {
      const x = keys.get(a) ?? [];
      const y = keys.get(b) ?? [];
      const at = x.findIndex((value, i) => value !== y[i]);
      return at < 0 ? 0 : y[at] - x[at];
    };
  }
  const sign = isReverse ? -1 : 1;
  return [...rows].sort((a, b) => {
    const result = compare(a, b);
    return Number.isNaN(result) || result === 0 ? byName(a.host.host, b.host.host) : sign * result;
  });
}

/**
 * Words of a filter: `role=web` and `role=w*` of tags, `is=bad`, anything else is a part of the host's name.
 * @param {HostRow[]} rows
 * @param {string} filter
 */
export function filtered(rows, filter) {
  const words = filter.trim().split(/\s+/).filter(Boolean).map((word) => {
    const equals = word.indexOf("=");
    if (equals <= 0) return { key: "", value: word.toLowerCase() };
    return { key: word.slice(0, equals).replace(/[~!]$/, ""), value: word.slice(equals + 1).replace(/^"|"$/g, "") };
  });
  if (words.length === 0) return rows;
  return rows.filter((row) => words.every(({ key, value }) => {
    if (key === "") return row.host.host.toLowerCase().includes(value);
    if (key === "is") return value === "away" ? !row.host.up : row.grade === value;
    const tag = key === "host" ? row.host.host : row.host.tags[key] ?? "";
    return value.endsWith("*") ? tag.startsWith(value.slice(0, -1)) : tag === value;
  }));
}

/** The regular part of a host's name: `web` of `web12.example.org`. @param {string} host */
export function regularPart(host) {
  return /^[^\d.]*/.exec(host)?.[0].replace(/[-_]$/, "") || host;
}

/**
 * @param {HostRow[]} rows in their order
 * @param {string} by a tag, `name` for the regular part, or empty
 * @returns {{label: string, rows: HostRow[]}[]} one group without label if there is no grouping
 */
export function grouped(rows, by) {
  if (by === "") return [{ label: "", rows }];
  /** @type {Map<string, HostRow[]>} */
  const groups = new Map();
  for (const row of rows) {
    const label = by === "name" ? regularPart(row.host.host) : row.host.tags[by] ?? "";
    const group = groups.get(label);
    if (group === undefined) groups.set(label, [row]);
    else group.push(row);
  }
  return [...groups].map(([label, members]) => ({ label: label === "" ? `no ${by}` : label, rows: members }))
    .sort((a, b) => byName(a.label, b.label));
}

/** All tags that hosts have, for the choice of groups. @param {Host[]} hosts */
export function tagsOf(hosts) {
  return [...new Set(hosts.flatMap((host) => Object.keys(host.tags)))].sort();
}

/** The grade of one resource of a host: the worst of its columns. @param {HostRow} row @param {string} group @returns {""|Grade} */
export function gradeOf(row, group) {
  /** @type {""|Grade} */
  let worst = "";
  row.cells.forEach((cell, i) => {
    if (kColumns[i].group === group && kRanks[cell.grade] > kRanks[worst]) worst = cell.grade;
  });
  return worst;
}

// What is known of one host: its series, devices and collectors, and how good its resources are now.

import {isAbort} from "../data/client.js";
import {shortened} from "../model/format.js";
import {split} from "../model/labels.js";
import {hostGlob, literal} from "../model/use.js";
import {kAsks, rowsOf} from "./hosts_model.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {{name: string, kind: string, unit: string, last: number}} SeriesOfHost */

const kSeriesMax = 20000;
/** Block devices that are pieces or views of others, so they come last. */
const kMinor = /^(loop|ram|zram|dm-|md|sr|fd)/;
const kTableMax = 16;

/**
 * All series of a host.
 * @param {App} app @param {string} host @param {AbortSignal} signal
 * @returns {Promise<{series: SeriesOfHost[], truncated: boolean}>}
 */
export async function loadSeries(app, host, signal) {
  const answer = await app.client.get("/api/v1/series", {match: `*;{,*;}host=${literal(host)}{,;*}`, limit: kSeriesMax}, {signal});
  const series = (answer.series ?? []).map((/** @type {any} */ one) => ({name: String(one.name), kind: String(one.kind), unit: String(one.unit ?? ""), last: Number(one.last_s ?? 0)}));
  return {series, truncated: answer.truncated === true};
}

/**
 * Values of a tag among the series of one path, those of whole devices first.
 * @param {SeriesOfHost[]} series @param {string} path @param {string} tag
 */
export function tagValues(series, path, tag) {
  const values = new Set(series.filter((one) => one.name.startsWith(`${path};`)).map((one) => split(one.name).tags.get(tag) ?? ""));
  values.delete("");
  return [...values].sort((a, b) => Number(kMinor.test(a)) - Number(kMinor.test(b)) || a.localeCompare(b, "en", {numeric: true}));
}

/** The names of the containers among the cgroups, by cgroup. @param {SeriesOfHost[]} series @returns {Map<string, string>} */
export function containersOf(series) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const {tags} of series.filter((one) => one.name.startsWith("host.cgroup.")).map((one) => split(one.name))) {
    const name = [tags.get("namespace"), tags.get("pod"), tags.get("container")].filter(Boolean).join("/");
    if (name) names.set(tags.get("cgroup") ?? "", name);
  }
  return names;
}

/**
 * Whether any series has a path and tags; values are as globs have them.
 * @param {SeriesOfHost[]} series
 * @returns {(path: string, tags: Record<string, string>) => boolean}
 */
export function hasSeries(series) {
  /** @type {Map<string, Map<string, string>[]>} */
  const paths = new Map();
  for (const {name} of series) {
    const {path, tags} = split(name);
    const all = paths.get(path);
    if (all) all.push(tags);
    else paths.set(path, [tags]);
  }
  return (path, tags) => (paths.get(path) ?? []).some((own) => Object.entries(tags).every(([key, value]) => literal(own.get(key) ?? "") === value));
}

/**
 * Devices by how busy they are in the range, as far as the server says so.
 * @param {App} app @param {string} host @param {string} path whose rate ranks @param {string[]} devices @param {{from: string, until: string}} range
 * @returns {Promise<string[]>}
 */
export async function rankDevices(app, host, path, devices, range) {
  if (devices.length < 2) return devices;
  try {
    const answer = await app.batch.ask({kind: "series", series: [hostGlob(path, host).slice(2)], stats: ["avg"], max_points: 1, ...range});
    /** @type {Map<string, number>} */
    const rates = new Map();
    for (const series of answer.series ?? []) {
      const device = split(series.name).tags.get("device") ?? "";
      rates.set(device, (rates.get(device) ?? 0) + (series.avg?.[0] ?? 0));
    }
    return [...devices].sort((a, b) => Number(kMinor.test(a)) - Number(kMinor.test(b)) || (rates.get(b) ?? 0) - (rates.get(a) ?? 0));
  } catch {
    return devices;  // their order by name does as well
  }
}

/**
 * How good the resources of a host are now; null if the server cannot say.
 * @param {App} app @param {string} host @param {AbortSignal} signal
 */
export async function loadRow(app, host, signal) {
  const known = app.hosts.find(host);
  if (!known) return null;
  try {
    const asks = [];
    for (let i = 0; i < kAsks.length; i += kTableMax) asks.push(kAsks.slice(i, i + kTableMax));
    const match = `{host=${JSON.stringify(host)}}`;
    const answers = await Promise.all(asks.map((column) => app.client.get("/api/v1/table", {row: "tag:host", match, column, from: "-60s", limit: 1}, {signal})));
    const table = {columns: answers.flatMap((answer) => answer.columns), rows: [{row: host, values: answers.flatMap((answer) => answer.rows[0]?.values ?? [])}]};
    return rowsOf([known], table, new Map())[0];
  } catch (error) {
    if (isAbort(error)) throw error;
    return null;
  }
}

/** Columns of the table of cgroups: heading, what is asked, unit. @type {{label: string, ask: string, unit: string}[]} */
export const kCgroupColumns = [
  {label: "CPU", ask: "host.cgroup.cpu_ns:rate", unit: "cores"}, {label: "wait", ask: "host.cgroup.runqueue_wait_ns:rate", unit: "ns_rate"},
  {label: "throttled", ask: "host.cgroup.cpu_throttled_ns:rate", unit: "ns_rate"}, {label: "memory", ask: "host.cgroup.memory_bytes:avg", unit: "bytes"},
  {label: "I/O", ask: "host.cgroup.io_bytes:rate", unit: "bytes_per_second"}, {label: "tasks", ask: "host.cgroup.tasks:avg", unit: "none"},
];

/**
 * The cgroups of a host as rows; null if the server has no tables.
 * @param {App} app @param {string} host @param {{from: string, until: string}} range @param {number} sort column, from 0
 * @param {boolean} down @param {AbortSignal} signal
 */
export async function loadCgroups(app, host, range, sort, down, signal) {
  try {
    return await app.client.get("/api/v1/table", {
      row: "tag:cgroup", match: `{host=${JSON.stringify(host)}}`, column: kCgroupColumns.map((column) => column.ask), sort: `${down ? "-" : ""}${sort}`, limit: 50,
      spark: "0:30", from: range.from, until: range.until,
    }, {signal});
  } catch (error) {
    if (isAbort(error)) throw error;
    return null;
  }
}

/** Panels of one cgroup. @param {string} host @param {string} cgroup @returns {import("../panel/panel.js").PanelSpec[]} */
export function cgroupPanels(host, cgroup) {
  const tags = {cgroup};
  const name = shortened(cgroup, 40);
  /** @param {string} path */
  const of = (path) => [hostGlob(`host.cgroup.${path}`, host, tags)];
  return [
    {id: "one-cpu", title: `${name} · CPU`, series: [...of("cpu_user_ns"), ...of("cpu_system_ns")], view: "stack", unit: "cores"},
    {id: "one-wait", title: `${name} · wait and throttling`, series: [...of("runqueue_wait_ns"), ...of("cpu_throttled_ns")], unit: "ns_rate"},
    {id: "one-memory", title: `${name} · memory`, series: [...of("memory_anon_bytes"), ...of("memory_file_bytes"), ...of("memory_slab_bytes")], view: "stack"},
    {id: "one-io", title: `${name} · I/O`, series: of("io_bytes")},
  ];
}


// What a number measures: from the sender's unit or from the ending of the name to the scale in which it is shown.

/**
 * How numbers of a unit are shown. A sample times `factor` is in units of `suffix`; `base` chooses the prefixes.
 * @typedef {object} Unit
 * @property {string} id
 * @property {"si"|"binary"|"time"|"plain"} base si: k M G T; binary: KiB MiB; time: ns to days; plain: no prefixes
 * @property {number} factor
 * @property {string} suffix after the prefix: `B`, `B/s`, `/s`, `%`
 * @property {[number, number]} [limits] of the axis, where the unit has natural ones
 */

/** @type {Record<string, Unit>} */
const kUnits = {
  none: {id: "none", base: "si", factor: 1, suffix: ""},
  per_second: {id: "per_second", base: "si", factor: 1, suffix: "/s"},
  bytes: {id: "bytes", base: "binary", factor: 1, suffix: "B"},
  bytes_per_second: {id: "bytes_per_second", base: "binary", factor: 1, suffix: "B/s"},
  bits: {id: "bits", base: "si", factor: 8, suffix: "bit"},
  bits_per_second: {id: "bits_per_second", base: "si", factor: 8, suffix: "bit/s"},
  percent: {id: "percent", base: "plain", factor: 1, suffix: "%", limits: [0, 100]},
  ratio: {id: "ratio", base: "plain", factor: 100, suffix: "%", limits: [0, 100]},
  ns: {id: "ns", base: "time", factor: 1e-9, suffix: ""},
  us: {id: "us", base: "time", factor: 1e-6, suffix: ""},
  ms: {id: "ms", base: "time", factor: 1e-3, suffix: ""},
  s: {id: "s", base: "time", factor: 1, suffix: ""},
  cores: {id: "cores", base: "plain", factor: 1e-9, suffix: "cores"},
  ns_share: {id: "ns_share", base: "plain", factor: 1e-7, suffix: "%", limits: [0, 100]},
  us_share: {id: "us_share", base: "plain", factor: 1e-4, suffix: "%", limits: [0, 100]},
  ms_share: {id: "ms_share", base: "plain", factor: 0.1, suffix: "%", limits: [0, 100]},
  s_share: {id: "s_share", base: "plain", factor: 100, suffix: "%", limits: [0, 100]},
  ns_rate: {id: "ns_rate", base: "si", factor: 1e-9, suffix: "s/s"},
  celsius: {id: "celsius", base: "plain", factor: 1, suffix: "°C"},
  volts: {id: "volts", base: "si", factor: 1, suffix: "V"},
  watts: {id: "watts", base: "si", factor: 1, suffix: "W"},
  hertz: {id: "hertz", base: "si", factor: 1, suffix: "Hz"},
};

/** The units that a user can choose from. @type {{id: string, label: string}[]} */
export const kChoices = [
  {id: "auto", label: "automatic"}, {id: "none", label: "number"}, {id: "per_second", label: "per second"}, {id: "bytes", label: "bytes"},
  {id: "bytes_per_second", label: "bytes per second"}, {id: "bits_per_second", label: "bits per second"}, {id: "percent", label: "percent"},
  {id: "ratio", label: "ratio as percent"}, {id: "ns", label: "nanoseconds"}, {id: "us", label: "microseconds"}, {id: "ms", label: "milliseconds"},
  {id: "s", label: "seconds"}, {id: "cores", label: "CPU cores, of ns"}, {id: "ns_share", label: "share of time, of ns"},
];

/** @param {string} id @returns {Unit} */
export function unit(id) {
  return Object.hasOwn(kUnits, id) ? kUnits[id] : kUnits.none;
}

/** The path of a name, without tags. @param {string} name */
export function pathOf(name) {
  const end = name.indexOf(";");
  return end < 0 ? name : name.slice(0, end);
}

const kEndings = /(?:^|[._])(bytes|percent|ratio|ns|us|ms|seconds|s|celsius|volts|watts|hertz|hz)$/;

/** What the ending of a name says about its unit; empty if nothing. @param {string} name */
export function endingOf(name) {
  const path = pathOf(name);
  if (/(?:^|\.)(?:psi|pressure).*avg\d+$/.test(path)) return "percent";
  const found = kEndings.exec(path);
  if (!found) return "";
  return {seconds: "s", hz: "hertz"}[found[1]] ?? found[1];
}

/**
 * The unit of a series, for its averages and extremes.
 * @param {string} name
 * @param {string} kind gauge, event, distribution or counter
 * @param {{given?: string, chosen?: string, bits?: boolean}} [more] `given` by the sender, `chosen` for this panel
 * @returns {Unit}
 */
export function unitOf(name, kind, more = {}) {
  if (more.chosen && more.chosen !== "auto") return unit(more.chosen);
  const word = more.given || endingOf(name);
  if (kind !== "event" && kind !== "counter") {
    if (word === "bytes") return unit(more.bits ? "bits" : "bytes");
    if (word === "seconds") return unit("s");
    if (Object.hasOwn(kUnits, word)) return unit(word);
    return word && word !== "tasks" && word !== "pages" ? {...kUnits.none, id: word, suffix: word} : kUnits.none;
  }
  if (word === "bytes") return unit(more.bits ? "bits_per_second" : "bytes_per_second");
  if (word === "ns" || word === "us" || word === "ms" || word === "s") {
    const path = pathOf(name);
    if (/(?:^|\.)psi\.|busy_|io_ms$/.test(path)) return unit(`${word}_share`);
    if (word === "ns") return unit(/cpu/.test(path) && !/throttled/.test(path) ? "cores" : "ns_rate");
    return unit("per_second");
  }
  return unit("per_second");
}

/** The unit of sums of a series: what the rate is per second of, or the samples added up. @param {Unit} of */
export function totalUnit(of) {
  /** @type {Record<string, string>} */
  const total = {per_second: "none", bytes_per_second: "bytes", bits_per_second: "bits", cores: "ns", ns_rate: "ns", ns_share: "ns", us_share: "us",
    ms_share: "ms", s_share: "s"};
  // Percentages and temperatures that are added up are no percentage or temperature.
  if (of.base === "plain" && !Object.hasOwn(total, of.id)) return kUnits.none;
  return Object.hasOwn(total, of.id) ? unit(total[of.id]) : of;
}

// What tells the series of one panel apart: short labels for legends, and the title that they share.

import {visible} from "./format.js";
import {pathOf} from "./units.js";

/** @typedef {{path: string, tags: Map<string, string>}} Split */

/** @param {string} name @returns {Split} */
export function split(name) {
  const path = pathOf(name);
  /** @type {Map<string, string>} */
  const tags = new Map();
  for (const text of name.slice(path.length + 1).split(";")) {
    const equals = text.indexOf("=");
    if (equals > 0) tags.set(text.slice(0, equals), text.slice(equals + 1));
  }
  return {path, tags};
}

/** The name of a series of an answer: of expressions, the selector of its labels. @param {any} series @returns {string} */
export function nameOf(series) {
  if (typeof series.name === "string") return series.name;
  const labels = series.labels ?? {};
  const path = typeof labels.__name__ === "string" ? labels.__name__ : "";
  const tags = Object.keys(labels).filter((key) => key !== "__name__").sort().map((key) => `${key}=${labels[key]}`);
  return [path, ...tags].join(";");
}

/**
 * A label for each name, of the parts of paths and the tags that are not common to all.
 * @param {string[]} names
 * @returns {string[]}
 */
export function labelsOf(names) {
  if (names.length === 0) return [];
  const all = names.map(split);
  if (names.length === 1) return [visible(pathOf(names[0]) || [...all[0].tags.values()].join(" ") || names[0])];
  const paths = all.map(({path}) => path.split("."));
  let head = 0;
  while (paths.every((parts) => head < parts.length && parts[head] === paths[0][head])) ++head;
  let tail = 0;
  while (paths.every((parts) => tail < parts.length - head && parts[parts.length - 1 - tail] === paths[0][paths[0].length - 1 - tail])) ++tail;
  const keys = new Set(all.flatMap(({tags}) => [...tags.keys()]));
  const telling = [...keys].filter((key) => all.some(({tags}) => tags.get(key) !== all[0].tags.get(key))).sort();
  // Parts that agree with others, such as the device of an operation, would only repeat: keep the fewest tags that tell all apart.
  /** @param {string[]} chosen */
  const build = (chosen) => all.map(({tags}, i) => {
    const part = paths[i].slice(head, paths[i].length - tail).join(".");
    return visible([part, ...chosen.map((key) => tags.get(key)).filter((value) => value !== undefined && value !== "")].join(" ").trim());
  });
  const told = build(telling);
  let chosen = telling;
  for (const key of telling) {
    // A device that is the same wherever there is one tells nothing that the paths do not.
    const isTold = kTold.has(key) && new Set(all.map(({tags}) => tags.get(key)).filter((value) => value !== undefined)).size > 1;
    const fewer = chosen.filter((other) => other !== key);
    const shorter = build(fewer);
    // A series that lacks the tags that are left, as cgroups that are no containers, would have no label.
    const isLabelled = shorter.every((label, i) => label !== "" || told[i] === "");
    if (fewer.length && new Set(shorter).size === new Set(told).size && isLabelled && !isTold) chosen = fewer;
  }
  const built = build(chosen);
  // A unit that all share is said by the axis.
  const unit = /_(bytes|ns|us|ms|s|percent)$/.exec(built[0])?.[0];
  const plain = unit && built.every((label) => label.endsWith(unit) && label.length > unit.length) ? built.map((label) => label.slice(0, -unit.length)) : built;
  return plain.map((label, i) => label || visible(pathOf(names[i]).split(".").at(-1) ?? names[i]));
}

/** Tags that say most, so they stay when others would do. */
const kTold = new Set(["host", "device", "op", "mode", "cpu"]);

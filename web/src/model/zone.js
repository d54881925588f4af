// Wall clocks of time zones, by Intl alone. Times are unix seconds; a zone is `UTC`, `local` or an IANA name.

/** @typedef {{year: number, month: number, day: number, hour: number, minute: number, second: number, weekday: number}} Wall */

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();
/** @type {Map<string, Map<number, number>>} */
const offsets = new Map();
const kOffsetsMax = 20000;

/**
 * `local` as the name that the browser knows; an unknown zone is UTC.
 * @param {string} zone
 */
export function zoneName(zone) {
  if (zone === "local") return new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  return isZone(zone) ? zone : "UTC";
}

/** @param {string} zone */
export function isZone(zone) {
  if (zone === "UTC" || zone === "local" || formats.has(zone)) return true;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} zone */
function formatOf(zone) {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone, hourCycle: "h23", era: "short", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}

/**
 * Seconds that the zone's clock is ahead of UTC at an instant. No zone changes within a quarter of an hour, so one
 * answer is kept for each.
 * @param {number} time
 * @param {string} zone
 * @returns {number}
 */
export function offsetAt(time, zone) {
  if (zone === "UTC") return 0;
  const name = zoneName(zone);
  if (name === "UTC") return 0;
  let kept = offsets.get(name);
  if (!kept) offsets.set(name, kept = new Map());
  const quarter = Math.floor(time / 900);
  const known = kept.get(quarter);
  if (known !== undefined) return known;
  const at = quarter * 900;
  /** @type {Record<string, number>} */
  const part = {};
  for (const {type, value} of formatOf(name).formatToParts(at * 1000)) part[type] = Number(value);
  const wall = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) / 1000;
  const offset = wall - at;
  if (kept.size >= kOffsetsMax) kept.clear();
  kept.set(quarter, offset);
  return offset;
}

/**
 * What the zone's clock shows at an instant; weekday 0 is Sunday.
 * @param {number} time
 * @param {string} zone
 * @returns {Wall}
 */
export function wallOf(time, zone) {
  const date = new Date((time + offsetAt(time, zone)) * 1000);
  return {
    year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), hour: date.getUTCHours(), minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(), weekday: date.getUTCDay(),
  };
}

/**
 * The instant at which the zone's clock shows this: the first one of two, and of a time that is skipped the same
 * distance after the change. Fields may be out of range: day 0 is the last one of the month before.
 * @param {number} year @param {number} month 1 to 12 @param {number} day
 * @param {number} hour @param {number} minute @param {number} second
 * @param {string} zone
 * @returns {number}
 */
export function instantOf(year, month, day, hour, minute, second, zone) {
  const wall = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  const before = offsetAt(wall - 86400, zone);
  const after = offsetAt(wall + 86400, zone);
  const early = wall - Math.max(before, after);
  if (early + offsetAt(early, zone) === wall) return early;
  const late = wall - Math.min(before, after);
  if (late + offsetAt(late, zone) === wall) return late;
  return wall - before;
}

/**
 * The instant some days later or earlier by the calendar, at the same time of the clock.
 * @param {number} time @param {number} days @param {string} zone
 */
export function addDays(time, days, zone) {
  const wall = wallOf(time, zone);
  const moved = instantOf(wall.year, wall.month, wall.day + days, wall.hour, wall.minute, wall.second, zone);
  // Of a doubled hour, the second one is the one with the later offset of the given time.
  const other = moved + offsetAt(moved, zone) - offsetAt(time, zone);
  return other + offsetAt(other, zone) === moved + offsetAt(moved, zone) ? other : moved;
}

/** `+02:00` as `+02`, `+05:30` as it is. @param {number} offset seconds */
export function offsetText(offset) {
  const minutes = Math.abs(Math.round(offset / 60));
  const hours = String(Math.floor(minutes / 60)).padStart(2, "0");
  const rest = minutes % 60;
  return `${offset < 0 ? "-" : "+"}${hours}${rest ? ":" + String(rest).padStart(2, "0") : ""}`;
}

// Which colour a series has. The colours themselves are in style/tokens.css: `--s1` to `--s8`, `--h0` to `--h8`.

export const kColors = 8;
export const kHeatStops = 9;
/** From the ninth series on the colours come again with dashes. */
const kDashes = [[], [6, 3], [2, 2]];

/** @typedef {{index: number, dash: number[]}} Paint `index` 1 to 8 of `--s1` to `--s8` */

/** FNV-1a, 32 bits. @param {string} text */
export function hash(text) {
  let value = 0x811C9DC5;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}

/**
 * Gives out colours: a name keeps its one as long as the palette lives, whatever comes and goes beside it.
 * The first names of a panel get the first colours, in order, which are furthest apart.
 */
export class Palette {
  /** @type {Map<string, number>} */
  #places = new Map();
  /** @type {Set<number>} */
  #taken = new Set();

  /** @param {string} name @returns {Paint} */
  paint(name) {
    let place = this.#places.get(name);
    if (place === undefined) {
      place = 0;
      const all = kColors * kDashes.length;
      while (place < all && this.#taken.has(place)) ++place;
      if (place === all) place = hash(name) % all;
      this.#places.set(name, place);
      this.#taken.add(place);
    }
    return {index: place % kColors + 1, dash: kDashes[Math.floor(place / kColors) % kDashes.length]};
  }
}

/** `#0068B4` as [red, green, blue], 0 to 255. @param {string} hex @returns {[number, number, number]} */
export function rgb(hex) {
  const value = Number.parseInt(hex.trim().replace("#", ""), 16);
  return [value >> 16 & 255, value >> 8 & 255, value & 255];
}

/** Relative luminance as WCAG defines it. @param {string} hex */
export function luminance(hex) {
  const [red, green, blue] = rgb(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, 1 to 21. @param {string} one @param {string} other */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/**
 * The ramp at a place from 0 to 1, between its stops in linear light of each channel.
 * @param {string[]} stops @param {number} place
 * @returns {string} `#rrggbb`
 */
export function ramp(stops, place) {
  const at = Math.max(0, Math.min(1, place)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const from = rgb(stops[low]);
  const to = rgb(stops[low + 1]);
  return "#" + from.map((part, i) => Math.round(part + (to[i] - part) * (at - low)).toString(16).padStart(2, "0")).join("");
}

/**
 * Where on the ramp a cell of a heatmap is: the logarithm of its density between that of a single sample in the
 * highest row, which is at the third stop, and the greatest one.
 * @param {number} density samples per second and per power of two @param {number} least @param {number} most
 */
export function heatPlace(density, least, most) {
  const start = 2 / (kHeatStops - 1);
  if (most <= least || density <= least) return start;
  return start + (1 - start) * Math.min(1, Math.log(density / least) / Math.log(most / least));
}

// The only owner of plots: at most `limit` of them have canvases, the panels of others show their last picture.

import uPlot from "uplot";

/**
 * The colours of the current theme, as canvases need them.
 * @typedef {object} Colors
 * @property {string} panel @property {string} border @property {string} grid @property {string} edge
 * @property {string} text @property {string} muted @property {string} accent @property {string} sunken @property {string} warn
 * @property {string[]} series eight @property {string[]} heat nine, from few to many @property {string} heatLine
 * @property {string} font family
 */

/**
 * Who has a plot. `seen` tells that it has come into view or left it; `evicted` that the pool is about to take the plot
 * for another one; `restyled` that the colours have changed.
 * @typedef {object} Owner
 * @property {(visible: boolean) => void} seen
 * @property {() => void} evicted
 * @property {() => void} restyled
 */

export class PlotPool {
  #limit;
  /** In the order of their last use. @type {Map<Owner, {plot: uPlot}>} */
  #plots = new Map();
  /** @type {Map<Element, Owner>} */
  #watched = new Map();
  /** @type {Set<Owner>} */
  #visible = new Set();
  /** @type {Colors|null} */
  #colors = null;
  #observer;
  #scheme = window.matchMedia("(prefers-color-scheme: dark)");
  #restyled = () => this.restyle();

  /** @param {number} [limit] plots at once */
  constructor(limit = 24) {
    this.#limit = limit;
    this.#observer = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries) {
        const owner = this.#watched.get(target);
        if (!owner) continue;
        if (isIntersecting) this.#visible.add(owner);
        else this.#visible.delete(owner);
        owner.seen(isIntersecting);
      }
    }, {rootMargin: "50% 0px"});
    this.#scheme.addEventListener("change", this.#restyled);
  }

  /** Plots that have canvases now. */
  get count() {
    return this.#plots.size;
  }

  /** @param {Element} element @param {Owner} owner */
  watch(element, owner) {
    this.#watched.set(element, owner);
    this.#observer.observe(element);
  }

  /** @param {Element} element */
  unwatch(element) {
    const owner = this.#watched.get(element);
    this.#observer.unobserve(element);
    this.#watched.delete(element);
    if (owner) {
      this.#visible.delete(owner);
      this.release(owner);
    }
  }

  /**
   * A new plot of the owner, in place of its old one; takes that of another owner if there are too many.
   * @param {Owner} owner @param {uPlot.Options} options @param {uPlot.AlignedData} data @param {HTMLElement} target
   * @returns {uPlot}
   */
  make(owner, options, data, target) {
    this.release(owner);
    while (this.#plots.size >= this.#limit) {
      const victim = [...this.#plots.keys()].find((other) => !this.#visible.has(other)) ?? this.#plots.keys().next().value;
      if (!victim) break;
      victim.evicted();
      this.release(victim);
    }
    const plot = new uPlot(options, data, target);
    this.#plots.set(owner, {plot});
    return plot;
  }

  /** The owner's plot is in use: it is the last to go. @param {Owner} owner */
  touch(owner) {
    const held = this.#plots.get(owner);
    if (!held) return;
    this.#plots.delete(owner);
    this.#plots.set(owner, held);
  }

  /** @param {Owner} owner */
  release(owner) {
    this.#plots.get(owner)?.plot.destroy();
    this.#plots.delete(owner);
  }

  /** @returns {Colors} */
  colors() {
    if (this.#colors) return this.#colors;
    const style = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    this.#colors = {
      panel: of("panel"), border: of("border"), grid: of("grid"), edge: of("edge"), text: of("text"), muted: of("muted"), accent: of("accent"),
      sunken: of("sunken"), warn: of("warn"), series: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => of(`s${i}`)), heat: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => of(`h${i}`)),
      heatLine: of("h-line"), font: of("sans") || "sans-serif",
    };
    return this.#colors;
  }

  /** Reads the colours anew, after a change of the theme, and draws all plots in them. */
  restyle() {
    this.#colors = null;
    for (const owner of new Set([...this.#plots.keys(), ...this.#watched.values()])) owner.restyled();
  }

  destroy() {
    this.#scheme.removeEventListener("change", this.#restyled);
    this.#observer.disconnect();
    for (const owner of [...this.#plots.keys()]) this.release(owner);
    this.#watched.clear();
    this.#visible.clear();
  }
}

/** @param {number} [limit] @returns {PlotPool} */
export function createPool(limit) {
  return new PlotPool(limit);
}

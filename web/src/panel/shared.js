// What all panels of a screen share while they are on it: the crosshair and the range that a pan or zoom moves.

/** @typedef {import("./panel.js").PanelHost} PanelHost */

/** How long after the last move of a wheel or a pinch its range is asked, in ms. */
const kRest = 120;

/**
 * @param {object} screen
 * @param {(from: number, until: number) => void} screen.setRange a move has ended: the range to ask and to keep in the URL
 * @param {() => void} screen.back the range before
 * @param {PanelHost["change"]} screen.change
 * @param {PanelHost["act"]} screen.act
 * @param {PanelHost["menu"]} screen.menu
 * @param {PanelHost["can"]} [screen.can]
 * @param {(time: number|null) => void} [screen.pinned] the crosshair has been fixed there by a click or a key, for the URL
 * @returns {PanelHost}
 */
export function createShared(screen) {
  /** @type {number|null} */
  let at = null;
  /** @type {number|null} */
  let pin = null;
  /** @type {Set<(time: number|null) => void>} */
  const crosshairs = new Set();
  /** @type {Set<import("./types.js").RangeListener>} */
  const ranges = new Set();
  let frame = 0;
  let moving = 0;
  let rest = 0;
  /** @param {number|null} time */
  const show = (time) => {
    if (time === at) return;
    at = time;
    if (!frame) frame = requestAnimationFrame(tell);
  };
  const tell = () => {
    frame = 0;
    for (const heard of crosshairs) heard(at);
  };
  // Canvases are drawn before any element moves: to draw a text, a canvas waits for styles that are not up to date.
  const draw = () => {
    moving = 0;
    for (const one of ranges) one.draw();
    for (const one of ranges) one.place();
  };
  return {
    crosshair: () => at,
    setCrosshair: (time) => show(time ?? pin),
    pinned: () => pin,
    pin: (time) => {
      if (pin === time) return;
      pin = time;
      show(time);
      screen.pinned?.(time);
    },
    onCrosshair: (heard) => {
      crosshairs.add(heard);
      return () => crosshairs.delete(heard);
    },
    setRange: (from, until, done) => {
      for (const one of ranges) one.move(from, until);
      moving ||= requestAnimationFrame(draw);
      clearTimeout(rest);
      // The server takes whole seconds.
      const ask = () => screen.setRange(Math.floor(from), Math.ceil(until));
      if (done) ask();
      else rest = setTimeout(ask, kRest);
    },
    onRange: (heard) => {
      ranges.add(heard);
      return () => ranges.delete(heard);
    },
    back: () => screen.back(),
    change: (id, change) => screen.change(id, change),
    act: (id, action, detail) => screen.act(id, action, detail),
    can: (action) => screen.can?.(action) ?? true,
    menu: (anchor, panel) => screen.menu(anchor, panel),
  };
}

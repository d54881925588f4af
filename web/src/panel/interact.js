// Mouse, touch and wheel over a plot, as moves: hover, select, pan, zoom, back. It knows nothing of panels.
//
// Mouse: drag selects a time (a box in heatmaps, where it goes up or down, too), Shift+drag or the wheel button pans,
// Ctrl+wheel zooms at the pointer, a drag on the value axis sets its limits, double click goes back, a click pins the
// crosshair. Touch: one finger scrolls the page, a long press moves the crosshair, two fingers zoom and pan.

/** @typedef {{left: number, top: number, width: number, height: number}} Box */

/**
 * Positions are CSS px from the left top of the plotting area.
 * @typedef {object} Moves
 * @property {() => Box} box of the plotting area, relative to the element
 * @property {boolean} boxes whether a drag can select a box
 * @property {(left: number|null, top: number|null) => void} hover
 * @property {(left: number, top: number) => void} pin
 * @property {(selection: {left: number, right: number, top: number|null, bottom: number|null}|null) => void} selecting
 * @property {(selection: {left: number, right: number, top: number|null, bottom: number|null}) => void} selected
 * @property {(scale: number, at: number, shift: number, done: boolean) => void} move zooms by `scale` around `at`, then shifts right by px
 * @property {(top: number, bottom: number) => void} values a drag on the value axis
 * @property {() => void} back
 */

const kDragLeast = 4;
const kBoxLeast = 14;
const kLongPress = 350;

/**
 * @param {HTMLElement} element
 * @param {Moves} moves
 * @returns {() => void} ends it
 */
export function interact(element, moves) {
  /** @type {Map<number, {left: number, top: number}>} */
  const touches = new Map();
  /** @type {{kind: "select"|"pan"|"axis"|"cross", left: number, top: number, last: number, moved: boolean}|null} */
  let drag = null;
  let press = 0;
  /** @type {{distance: number, middle: number}|null} */
  let pinch = null;

  /** @param {{clientX: number, clientY: number}} event */
  const at = (event) => {
    const rect = element.getBoundingClientRect();
    const box = moves.box();
    return {left: event.clientX - rect.left - box.left, top: event.clientY - rect.top - box.top};
  };
  /** @param {{left: number, top: number}} place */
  const inside = ({left, top}) => left >= 0 && top >= 0 && left <= moves.box().width && top <= moves.box().height;
  /** @param {number} value @param {number} most */
  const clamp = (value, most) => Math.max(0, Math.min(most, value));

  /** @param {{left: number, top: number}} place */
  const selection = (place) => {
    const box = moves.box();
    const start = /** @type {{left: number, top: number}} */ (drag);
    const isBox = moves.boxes && Math.abs(place.top - start.top) >= kBoxLeast;
    return {
      left: clamp(Math.min(start.left, place.left), box.width), right: clamp(Math.max(start.left, place.left), box.width),
      top: isBox ? clamp(Math.min(start.top, place.top), box.height) : null, bottom: isBox ? clamp(Math.max(start.top, place.top), box.height) : null,
    };
  };

  /** @param {PointerEvent} event */
  const down = (event) => {
    const place = at(event);
    if (event.pointerType === "touch") {
      touches.set(event.pointerId, place);
      clearTimeout(press);
      if (touches.size === 1) {
        press = window.setTimeout(() => {
          drag = {kind: "cross", ...place, last: place.left, moved: false};
          element.setPointerCapture(event.pointerId);
          moves.hover(clamp(place.left, moves.box().width), place.top);
        }, kLongPress);
      } else if (touches.size === 2) {
        drag = null;
        pinch = pinchOf();
      }
      return;
    }
    if (event.button > 1) return;
    const isAxis = place.left < 0 && place.top >= 0 && place.top <= moves.box().height;
    if (!inside(place) && !isAxis) return;
    const kind = isAxis ? "axis" : event.button === 1 || event.shiftKey ? "pan" : "select";
    drag = {kind, ...place, last: place.left, moved: false};
    element.setPointerCapture(event.pointerId);
    if (event.button === 1) event.preventDefault();
  };

  const pinchOf = () => {
    const [one, other] = [...touches.values()];
    return {distance: Math.max(20, Math.hypot(one.left - other.left, one.top - other.top)), middle: (one.left + other.left) / 2};
  };

  /** @param {PointerEvent} event */
  const move = (event) => {
    const place = at(event);
    if (event.pointerType === "touch") {
      const known = touches.get(event.pointerId);
      if (!known) return;
      if (!drag && !pinch && Math.hypot(place.left - known.left, place.top - known.top) > 8) clearTimeout(press);
      touches.set(event.pointerId, place);
      if (pinch && touches.size === 2) {
        const next = pinchOf();
        moves.move(pinch.distance / next.distance, next.middle, next.middle - pinch.middle, false);
        pinch = next;
      } else if (drag?.kind === "cross") moves.hover(clamp(place.left, moves.box().width), place.top);
      return;
    }
    if (!drag) {
      moves.hover(inside(place) ? place.left : null, inside(place) ? place.top : null);
      return;
    }
    if (!drag.moved && Math.hypot(place.left - drag.left, place.top - drag.top) < kDragLeast) return;
    drag.moved = true;
    if (drag.kind === "pan") {
      moves.move(1, place.left, place.left - drag.last, false);
      drag.last = place.left;
    } else if (drag.kind === "select") {
      moves.selecting(selection(place));
      moves.hover(clamp(place.left, moves.box().width), place.top);
    }
  };

  /** @param {PointerEvent} event */
  const up = (event) => {
    clearTimeout(press);
    if (event.pointerType === "touch") {
      touches.delete(event.pointerId);
      if (pinch && touches.size < 2) {
        pinch = null;
        moves.move(1, 0, 0, true);
      }
      // Where the finger is lifted, the crosshair stays.
      if (drag?.kind === "cross" && event.type !== "pointercancel") moves.pin(clamp(at(event).left, moves.box().width), at(event).top);
      drag = null;
      return;
    }
    const place = at(event);
    const done = drag;
    if (!done) return;
    if (done.kind === "select" && done.moved) {
      const found = selection(place);
      moves.selecting(null);
      if (event.type !== "pointercancel" && found.right - found.left >= kDragLeast) moves.selected(found);
    } else if (done.kind === "pan" && done.moved) moves.move(1, 0, 0, true);
    else if (done.kind === "axis" && done.moved) moves.values(clamp(Math.min(done.top, place.top), moves.box().height), clamp(Math.max(done.top, place.top), moves.box().height));
    else if (done.kind === "select" && event.detail < 2) moves.pin(place.left, place.top);
    drag = null;
  };

  /** @param {WheelEvent} event */
  const wheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    const place = at(event);
    if (!inside(place)) return;
    event.preventDefault();
    moves.move(Math.exp(Math.max(-1, Math.min(1, event.deltaY * (event.deltaMode ? 0.05 : 0.002)))), place.left, 0, false);
  };

  /** @param {MouseEvent} event */
  const double = (event) => {
    if (at(event).left < 0) moves.values(0, 0);
    else moves.back();
  };
  /** @param {PointerEvent} event */
  const leave = (event) => { if (!drag && event.pointerType !== "touch") moves.hover(null, null); };
  /** Scrolling would take a long press away. @param {TouchEvent} event */
  const hold = (event) => { if (drag?.kind === "cross" || pinch) event.preventDefault(); };
  /** @param {KeyboardEvent} event */
  const escape = (event) => {
    if (event.key !== "Escape" || !drag) return;
    drag = null;
    moves.selecting(null);
  };

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("wheel", wheel, {passive: false});
  element.addEventListener("dblclick", double);
  element.addEventListener("touchmove", hold, {passive: false});
  document.addEventListener("keydown", escape);
  return () => {
    clearTimeout(press);
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", up);
    element.removeEventListener("pointerleave", leave);
    element.removeEventListener("wheel", wheel);
    element.removeEventListener("dblclick", double);
    element.removeEventListener("touchmove", hold);
    document.removeEventListener("keydown", escape);
  };
}

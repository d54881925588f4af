// The keyboard map as the help lists it.

/**
 * @typedef {object} KeyLine
 * @property {string} keys as the help shows them, with blanks between keys of a sequence
 * @property {string} does
 * @property {string} group
 */

/** @type {KeyLine[]} */
export const kKeyLines = [
  { group: "Go", keys: "g h", does: "Hosts" },
  { group: "Go", keys: "g e", does: "Explore" },
  { group: "Go", keys: "g d", does: "Dashboards" },
  { group: "Go", keys: "g s", does: "Status" },
  { group: "Go", keys: "/", does: "search hosts, series, dashboards; commands after >" },
  { group: "Go", keys: "n", does: "next host" },
  { group: "Go", keys: "p", does: "previous host" },
  { group: "Go", keys: "j", does: "next panel or row" },
  { group: "Go", keys: "k", does: "previous panel or row" },
  { group: "Go", keys: "← →", does: "along the row of a host" },
  { group: "Go", keys: "Enter", does: "open" },
  { group: "Go", keys: "Esc", does: "close" },
  { group: "Time", keys: "t", does: "type a range" },
  { group: "Time", keys: "+", does: "zoom in" },
  { group: "Time", keys: "-", does: "zoom out" },
  { group: "Time", keys: "a", does: "earlier" },
  { group: "Time", keys: "d", does: "later" },
  { group: "Time", keys: "0", does: "back" },
  { group: "Time", keys: ".", does: "live on or off" },
  { group: "Time", keys: "r", does: "refresh" },
  { group: "Time", keys: "z", does: "zone: UTC or mine" },
  { group: "Panel", keys: "←", does: "crosshair a slot earlier; with Shift by ten" },
  { group: "Panel", keys: "→", does: "crosshair a slot later" },
  { group: "Panel", keys: "[", does: "selection begins at the crosshair" },
  { group: "Panel", keys: "]", does: "selection ends at the crosshair; Enter zooms" },
  { group: "Panel", keys: "i", does: "of a heatmap with a fixed crosshair: exemplars of the slot" },
  { group: "Panel", keys: "b", does: "band" },
  { group: "Panel", keys: "l", does: "scale" },
  { group: "Panel", keys: "v", does: "view" },
  { group: "Panel", keys: "w", does: "compare with a day, a week before" },
  { group: "Panel", keys: "x", does: "what changed" },
  { group: "Panel", keys: "X", does: "what changed after the nearest event" },
  { group: "Panel", keys: "u", does: "unusual slots" },
  { group: "Panel", keys: "T", does: "table" },
  { group: "Page", keys: "m", does: "theme" },
  { group: "Page", keys: "y", does: "copy link, moving" },
  { group: "Page", keys: "Y", does: "copy link, fixed times" },
  { group: "Page", keys: "e", does: "edit a dashboard; arrows then move the panel in focus, with Shift they size it" },
  { group: "Page", keys: "Ctrl+S", does: "save" },
  { group: "Page", keys: "Ctrl+Z", does: "undo" },
  { group: "Page", keys: "?", does: "help" },
];

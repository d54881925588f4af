// The types that screens and panels share. Screens import them from panel.js.

/**
 * What a panel shows. Every field but `id` has a default, so that a URL or a dashboard keeps only what differs.
 * @typedef {object} PanelSpec
 * @property {string} id unique on the screen; ids of its queries begin with it
 * @property {string} [title] heading; by default the name of its series
 * @property {string[]} [series] names as they are stored, or globs as `g:GLOB`; globs stay globs, so new series join
 * @property {string} [expr] PromQL text in place of `series`
 * @property {View} [view] default: `heatmap` of one distribution, else `lines`
 * @property {string[]} [stats] of lines: the first one is drawn; default `avg`, of events and counters `rate`
 * @property {"mm"|"sd"|"off"} [band] min..max (default), one standard deviation, or none
 * @property {"lin"|"log"|"asinh"} [scale] of the values; default `lin`, of heatmaps `log`
 * @property {[number, number]} [limits] of the value axis in the unit of the samples; default: what is drawn
 * @property {string} [unit] a unit of model/units.js; default `auto`: the answer's, else the name's ending
 * @property {"S"|"M"|"L"|"XL"} [height] default `M`
 * @property {"none"|"1d"|"1w"} [compare] overlays the range one day or week before, by wall clock of the zone
 * @property {[number, number, number, number]} [box] of a heatmap: begin, end, lowest and highest value; its histogram is shown
 * @property {string[]} [hidden] names that the legend has switched off
 * @property {"max"|"avg"|"last"} [top] what chooses the 20 lines of many series; default `max`
 * @property {boolean} [unusual] marks slots that are far from the same hour of the four weeks before
 * @property {number} [calls] how many calls make one whole, such as a page, for the chance that one of them is slow
 * @property {string[]} [order] labels of a stack from below; others follow
 * @property {string} [note] a sentence below the title, for example why there are no data
 */

/** @typedef {"lines"|"stack"|"heatmap"|"table"|"histogram"} View */

/**
 * The time that is shown, resolved to unix seconds by the server's clock.
 * @typedef {object} PanelRange
 * @property {number} from inclusive
 * @property {number} until exclusive
 * @property {number} now the server's time, to tell the slot that is still open
 * @property {string} zone IANA name, or `UTC`
 * @property {number} [finest] seconds of the finest slot that every series has; some may have finer ones
 * @property {number} [hostFinest] seconds of the finest slot that series of hosts have in the range
 * @property {boolean} [bits] bytes are shown as bits
 * @property {boolean} [live] the answer is refreshed each few seconds; live regions are then silent
 */

/**
 * One query of a batch, as POST /api/v1/query takes it. Relative times are the batch's own.
 * @typedef {object} BatchQuery
 * @property {string} id
 * @property {"series"|"heatmap"} kind
 * @property {string[]} [series]
 * @property {string} [expr]
 * @property {string[]} [stats] absent for expressions that have one value
 * @property {number} [step] in place of max_points
 * @property {number} [from] only if it differs from the range, as for a comparison
 * @property {number} [until]
 * @property {number} max_points
 * @property {number} [grouping]
 * @property {boolean} [about] from when to when each series has samples
 */

/**
 * One answer of the batch; `status` is 200, or `error` says why not.
 * @typedef {object} Answer
 * @property {string} id
 * @property {number} status
 * @property {string} [error]
 * @property {number} [from]
 * @property {number} [until]
 * @property {number} [step]
 * @property {number|null} [tier]
 * @property {number} [at] the server's time when it was asked, which the page adds: slots that were under way then may have got more since
 * @property {[number, number]} [covers]
 * @property {any[]} [series]
 * @property {number} [since] of heatmaps: start of the oldest slot that ever had a sample; of others each series has it
 * @property {number} [last] of the newest one
 * @property {number} [kept_from] what ends before this time is past the retention
 * @property {number[][]} [buckets] of heatmaps
 * @property {number[][]} [counts] of heatmaps
 * @property {Record<string, import("../model/seconds.js").Second[]>} [seconds] of live series by name, which the page has worked out
 * @property {string[]} [missing]
 * @property {string[]} [warnings]
 * @property {string[]} [infos]
 */

/** Answers by the id of their query. @typedef {Record<string, Answer>} Answers */

/**
 * An event or a loss on the time axis. `kind` `loss` is drawn as a triangle, others as a diamond.
 * @typedef {object} Mark
 * @property {"loss"|"event"} kind
 * @property {number} time
 * @property {number|null} [until]
 * @property {string} title one line of text
 * @property {string} [text]
 * @property {string[]} [tags]
 * @property {string} [where] what it concerns, as `host=web1`
 * @property {string} [host] whose it is; without it, anybody's
 */

/**
 * What follows a move of the range: its new ends at once, and in the next frame first the canvas, then elements.
 * @typedef {object} RangeListener
 * @property {(from: number, until: number) => void} move
 * @property {() => void} draw
 * @property {() => void} place
 */

/**
 * What panels need of the screen around them; all panels of a screen share one.
 * @typedef {object} PanelHost
 * @property {() => number|null} crosshair time in unix seconds
 * @property {(time: number|null) => void} setCrosshair
 * @property {() => number|null} pinned where a click or a key has fixed the crosshair
 * @property {(time: number|null) => void} pin
 * @property {(heard: (time: number|null) => void) => (() => void)} onCrosshair returns what ends it
 * @property {(from: number, until: number, done: boolean) => void} setRange `done` is false while a move goes on
 * @property {(heard: RangeListener) => (() => void)} onRange a move of any panel; returns what ends it
 * @property {() => void} back the range before
 * @property {(id: string, change: Partial<PanelSpec>) => void} change the user has changed the panel
 * @property {(id: string, action: PanelAction, detail?: any) => void} act what only the screen can do
 * @property {(action: PanelAction) => boolean} [can] whether the screen has an action; by default all
 * @property {(anchor: Element, panel: Menued) => void} menu opens the panel's menu at the anchor; menuOf has its items
 */

/**
 * What the menu of a panel is of.
 * @typedef {object} Menued
 * @property {import("./panel_data.js").PanelData} data @property {import("./plot.js").Plot} plot
 * @property {number} width of the panel in CSS px
 * @property {import("./pool.js").PlotPool} pool @property {PanelHost} host
 * @property {(change: Partial<PanelSpec>) => void} change
 */

/**
 * `changes` has {from, until}, `event` {marks: Mark[]}, `save` {name, type, content: string|Blob}, `copy` a text, `exemplars` those of
 * screens/exemplars.js.
 * @typedef {"open"|"close"|"link"|"fixed-link"|"dashboard"|"duplicate"|"up"|"down"|"left"|"right"|"remove"|"changes"|"event"|"exemplars"|"save"|"copy"|"retry"} PanelAction
 */

/** @typedef {{label: string, key?: string, checked?: boolean, separator?: boolean, run?: () => void}} MenuItem */

/**
 * @typedef {object} Panel
 * @property {(range: PanelRange, width?: number, spec?: PanelSpec) => BatchQuery[]} queries what it asks now, with what answers have told; those of
 *   the first time are panelQueries'
 * @property {(spec: PanelSpec, range: PanelRange, answers: Answers|null, marks?: Mark[]) => void} update draws; null keeps the
 *   picture, dimmed, while a request runs
 * @property {(key: string, event?: KeyboardEvent) => boolean} key acts on a key of the keyboard map; false if it is not a panel's
 * @property {() => void} focus
 * @property {() => void} destroy gives its plot back to the pool
 */

export {};

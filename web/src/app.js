// What screens and panels get from the page around them. main.js makes it; everybody else only has its type.

/**
 * @typedef {object} App
 * @property {import("./state/store.js").Store<import("./state/url.js").Route>} store the route
 * @property {() => import("./state/url.js").Route} route
 * @property {(change: Partial<import("./state/url.js").Route>) => void} go changes the route; a new screen begins with no
 *   keys of its own
 * @property {(change: Record<string, string|string[]>) => void} goOwn changes keys of the screen
 * @property {() => void} back the range before
 * @property {(from: string, until: string) => void} setRange
 * @property {import("./data/client.js").Client} client
 * @property {import("./data/clock.js").Clock} clock
 * @property {import("./data/batch.js").Batch} batch
 * @property {import("./data/answers.js").Answers} answers what panels ask, and what they were answered
 * @property {import("./data/live.js").Live} live
 * @property {import("./data/names.js").Names} names
 * @property {import("./data/dashboards.js").Dashboards} dashboards
 * @property {import("./data/hosts.js").Hosts} hosts
 * @property {import("./data/losses.js").LossCounts} losses
 * @property {import("./state/store.js").Store<import("./state/prefs.js").Prefs>} prefs
 * @property {import("./panel/pool.js").PlotPool} pool of screens with panels; others have none
 * @property {ReturnType<typeof import("./state/drafts.js").createDrafts>} drafts
 * @property {import("./state/store.js").Store<ServerState>} server what the server said of itself last
 * @property {() => string} zone IANA name of the zone that is shown
 * @property {(text: string) => void} announce for screen readers
 * @property {(text: string) => void} toast a sentence that goes by itself
 * @property {(text: string, what: string) => void} copy into the clipboard; `what` says what was copied
 * @property {(isFixed: boolean) => void} copyLink of what is seen; fixed: with the times as they are now
 * @property {() => void} askToken for a token, in a dialog
 * @property {(run: (part: typeof import("./screens/later.js")) => void) => void} later runs what needs the part of the page
 *   that loads later; says so if that does not come
 * @property {(name: string, type: string, content: string|Blob) => void} save as a file
 * @property {() => Promise<any>} readStatus asks for the server's state, which is then in `server`; null if it did not answer
 * @property {() => void} refresh asks the screen for fresh data
 * @property {(name: "earlier"|"later"|"in"|"out") => void} act moves the range
 */

/**
 * @typedef {object} ServerState
 * @property {any} status answer of /api/v1/status, null before the first one
 * @property {number} refused samples since its start
 * @property {import("./data/losses.js").Losses|null} losses of the range that is shown; null while they are not known
 * @property {"off"|"stream"|"poll"} live
 * @property {boolean} isNewer it has the page of another version
 * @property {string} hostRetention how long series of hosts are kept; empty if there are none
 */

/**
 * @typedef {object} Screen
 * @property {() => string} title
 * @property {(route: import("./state/url.js").Route) => void} update at each change of the route or of preferences
 * @property {() => void} refresh fresh data, by key or by the clock of live mode
 * @property {(name: string, event: KeyboardEvent) => boolean} [key] false: the key means nothing here
 * @property {() => void} destroy
 */

export {};

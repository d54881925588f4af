// What draws panels, with the screens that consist of them. Hosts does without, so it is a file of its own in the packed
// page.

export { createPool } from "../panel/pool.js";
export { createExplore } from "./explore.js";
export { createHostScreen } from "./host.js";

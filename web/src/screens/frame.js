// The frame of every screen: screens, search, time, live, losses, zone, theme, help.

import { html, nothing, render } from "lit-html";
import { age, clock, count, day, span, visible } from "../model/format.js";
import { label, resolve } from "../model/range.js";
import { icon } from "../parts/icon.js";
import { openMenu } from "../parts/menu.js";
import { createSearchBox } from "../parts/search_box.js";
import { openTimePicker } from "../parts/time_picker.js";

/** @typedef {import("../app.js").App} App */

export const kScreens = [
  { id: "hosts", label: "Hosts", key: "h" },
  { id: "explore", label: "Explore", key: "e" },
  { id: "dashboards", label: "Dashboards", key: "d" },
  { id: "status", label: "Status", key: "s" },
];

const kEvery = [1, 5, 10, 60];
const kShort = 600;  // s, a range whose label has seconds

/** The screen under which a route stands in the frame. @param {string} screen */
function under(screen) {
  return screen === "host" ? "hosts" : screen === "d" ? "dashboards" : screen;
}

/**
 * A range as short as it can be: the date of today and seconds of a long range are left out.
 * @param {string} from @param {string} until @param {number} now @param {string} zone
 */
export function rangeText(from, until, now, zone) {
  const begin = resolve(from, now);
  const end = resolve(until, now);
  if (until === "now" || begin === null || end === null) return label(from, until, now, zone);
  const how = { seconds: end - begin < kShort };
  const today = day(now, zone);
  if (day(begin, zone) === today && day(end, zone) === today) return `${clock(begin, zone, how)} – ${clock(end, zone, how)}`;
  return span(begin, end, zone, how);
}

/**
 * @param {object} needs
 * @param {App} needs.app
 * @param {HTMLElement} needs.frame
 * @param {HTMLElement} needs.bottom
 * @param {HTMLElement} needs.banner
 * @param {import("../state/store.js").Store<import("../data/client.js").Link>} needs.link
 * @param {() => import("../parts/search_box.js").Command[]} needs.commands
 * @param {(name: string, kind: string, more: boolean) => void} needs.onSeries
 * @param {() => void} needs.openHelp
 */
export function createFrame({ app, frame, bottom, banner, link, commands, onSeries, openHelp }) {
  let isSearching = false;  // on a phone the field lies over the frame
  const home = document.createElement("div");
  home.className = "frame-search";
  const search = createSearchBox(home, {
    app, commands, onSeries,
    onHost: (host) => app.go({ screen: "host", arg: host }),
    onClose: () => {
      isSearching = false;
      home.classList.remove("open");
    },
  });

  const theme = () => app.prefs.get().theme;
  const themes = /** @type {const} */ (["auto", "light", "dark"]);

  function links() {
    const current = under(app.route().screen);
    const keep = app.route();
    const range = `${keep.from !== "-1h" || keep.until !== "now" ? `?from=${keep.from}&until=${keep.until}` : ""}`;
    return kScreens.map((screen) => html`<a href="#/${screen.id}${range}"
      aria-current=${screen.id === current ? "page" : nothing}>${icon(screen.id)}${screen.label}</a>`);
  }

  function loss() {
    const away = link.get();
    if (away.isAway) {
      return html`<button class="button loss bad" @click=${() => app.go({ screen: "status", arg: "" })}>✕
        server away ${age(Math.max(0, app.clock.now() - away.since))}</button>`;
    }
    const { losses } = app.server.get();
    const all = losses && losses.lines + losses.refused + losses.dropped;
    const word = all === null ? "losses" : all === 0 ? "nothing lost" : `${count(all)} ${all === 1 ? "loss" : "losses"}`;
    const parts = losses && `In the range shown: ${count(losses.lines)} lines of agents, ${count(losses.refused)} samples refused, ${count(losses.dropped)} datagrams`;
    return html`<button class="button loss ${all === null ? "" : all === 0 ? "ok" : "warn"}" aria-label=${word} title=${parts ?? nothing} @click=${toLosses}>
      ${all === null ? "…" : all === 0 ? "✓" : "▲"} <span class="long">${word}</span></button>`;
  }

  const toLosses = () => app.go({ screen: "status", arg: "loss" });

  /** @param {Event} event */
  function liveMenu(event) {
    const { every } = app.prefs.get();
    const isLive = app.route().live === "1";
    openMenu(/** @type {Element} */ (event.currentTarget), [
      ...kEvery.map((seconds) => ({
        label: `each ${age(seconds)}`, checked: isLive && every === seconds,
        run: () => { app.prefs.patch({ every: seconds }); app.go({ live: "1" }); },
      })),
      { label: "off", checked: !isLive, key: ".", run: () => app.go({ live: "" }) },
    ]);
  }

  /** @param {Event} event */
  function zoneMenu(event) {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const zone = app.prefs.get().zone;
    const choose = (/** @type {string} */ next) => { app.prefs.patch({ zone: next }); app.go({ tz: "" }); };
    const further = ["America/Los_Angeles", "America/New_York", "Europe/London", "Europe/Berlin", "Asia/Kolkata", "Asia/Tokyo"];
    openMenu(/** @type {Element} */ (event.currentTarget), [
      { label: "UTC", checked: app.zone() === "UTC", run: () => choose("UTC") },
      { label: "This browser", side: own, checked: zone === "local", run: () => choose("local") },
      { separator: true },
      ...further.map((name) => ({ label: name.replace("_", " "), checked: zone === name, run: () => choose(name) })),
    ]);
  }

  function nextTheme() {
    app.prefs.patch({ theme: themes[(themes.indexOf(theme()) + 1) % themes.length] });
  }

  /** @param {Event} event */
  function moreMenu(event) {
    const isLive = app.route().live === "1";
    openMenu(/** @type {Element} */ (event.currentTarget), [
      { label: "Live", checked: isLive, run: () => app.go({ live: isLive ? "" : "1" }) },
      { separator: true },
      ...["UTC", "local"].map((zone) => ({
        label: zone === "UTC" ? "Times in UTC" : "Times of this browser", checked: app.prefs.get().zone === zone,
        run: () => { app.prefs.patch({ zone }); app.go({ tz: "" }); },
      })),
      { separator: true },
      ...themes.map((one) => ({ label: `Theme: ${one}`, checked: theme() === one, run: () => app.prefs.patch({ theme: one }) })),
      { separator: true },
      { label: "Help", icon: "help", run: openHelp },
    ]);
  }

  function times() {
    const { from, until, live } = app.route();
    const text = rangeText(from, until, app.clock.now(), app.zone());
    const isLive = live === "1";
    return html`
      <span class="buttons" role="group" aria-label="Time">
        <button class="button icon-only only-wide" title="Earlier (a)" aria-label="Earlier" @click=${() => app.act("earlier")}>${icon("left")}</button>
        <button class="button range" title="Choose a range (t)" aria-haspopup="dialog" aria-expanded="false"
          @click=${(/** @type {Event} */ event) => openTimePicker(/** @type {Element} */ (event.currentTarget), app)}>
          <span>${text}</span>${icon("down", "caret")}</button>
        <button class="button icon-only only-wide" title="Later (d)" aria-label="Later" ?disabled=${until === "now"}
          @click=${() => app.act("later")}>${icon("right")}</button>
        <button class="button icon-only only-wide" title="Zoom out (-)" aria-label="Zoom out" @click=${() => app.act("out")}>${icon("zoom-out")}</button>
      </span>
      <span class="buttons only-wide" role="group" aria-label="Live">
        <button class="button live ${isLive ? "is-live" : ""}" aria-pressed=${String(isLive)} title="Live (.)"
          @click=${() => app.go({ live: isLive ? "" : "1" })}><i class="live-dot"></i>Live${isLive && app.server.get().live === "poll" ? html` <span class="muted">each ${app.prefs.get().every} s</span>` : nothing}</button>
        <button class="button icon-only narrow" aria-haspopup="menu" aria-expanded="false" aria-label="Interval of live"
          @click=${liveMenu}>${icon("down", "caret")}</button>
      </span>`;
  }

  function draw() {
    const zone = app.zone();
    const route = app.route();
    const heading = route.screen === "host" ? route.arg : kScreens.find((one) => one.id === under(route.screen))?.label ?? "";
    home.classList.toggle("open", isSearching);
    render(html`
      <a class="brand" href="#/hosts" aria-label="statmill: Hosts"><svg class="mark" aria-hidden="true"><use href="#i-mark"></use></svg><span class="only-wide">statmill</span></a>
      <nav class="screens" aria-label="Screens">${links()}</nav>
      <span class="screen-name only-narrow" aria-hidden="true">${heading}</span>
      ${home}
      <div class="frame-tools">
        <button class="button quiet icon-only only-narrow" aria-label="Search" @click=${() => { isSearching = true; draw(); search.focus(); }}>${icon("search")}</button>
        ${times()}
        ${loss()}
        <button class="button quiet zone only-wide" title="Time zone (z)" aria-haspopup="menu" aria-expanded="false" aria-label="Time zone ${zone}"
          @click=${zoneMenu}>${zone === "UTC" ? "UTC" : zone.split("/").pop()?.replace("_", " ")}</button>
        <button class="button quiet icon-only only-wide" title="Theme: ${theme()} (m)" aria-label="Theme: ${theme()}" @click=${nextTheme}>${icon(theme() === "light" ? "sun" : theme() === "dark" ? "moon" : "auto")}</button>
        <button class="button quiet icon-only only-wide" title="Help (?)" aria-label="Help" @click=${openHelp}>${icon("help")}</button>
        <button class="button quiet icon-only only-narrow" aria-label="More" aria-haspopup="menu" aria-expanded="false" @click=${moreMenu}>${icon("more")}</button>
      </div>`, frame);
    render(links(), bottom);
    drawBanner();
  }

  function drawBanner() {
    const away = link.get();
    const offset = app.clock.offset();
    banner.className = away.isAway ? "" : "note";
    if (away.isAway) {
      render(html`<span>✕ The server does not answer, for ${age(Math.max(0, app.clock.now() - away.since))}. What is shown is old;
        the page tries again by itself.</span><button class="button" @click=${() => app.refresh()}>Try now</button>`, banner);
    } else if (app.server.get().isNewer) {
      render(html`<span>The server has a new version of this page.</span><button class="button" @click=${() => window.location.reload()}>Reload</button>`, banner);
    } else if (app.server.get().status?.demo) {
      render(html`<span>Demo data: nothing here is real.</span>`, banner);
    } else if (app.server.get().status?.recording) {
      render(html`<span>This is the recording <bdi>${visible(app.server.get().status.recording)}</bdi>. The time shown is
        always its end.</span>`, banner);
    } else if (Math.abs(offset) > 2) {
      render(html`<span>This computer's clock is ${age(Math.abs(offset))} ${offset > 0 ? "ahead of" : "behind"} the server's. Times
        here are the server's.</span>`, banner);
    } else render(nothing, banner);
  }

  return {
    draw,
    /** @param {string} [first] text that the field begins with */
    search(first) {
      isSearching = true;
      draw();
      search.focus(first);
    },
    openTimes() {
      const anchor = frame.querySelector(".range");
      if (anchor) openTimePicker(anchor, app, { asText: true });
    },
  };
}
